"""The Rust engines kept equal to the store, partition by partition."""
