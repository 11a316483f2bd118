"""A search from the call to the answer: check the request, follow the store, run the steps, fetch what was chosen."""
