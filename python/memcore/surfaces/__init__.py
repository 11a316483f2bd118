"""The ways in from outside a program: the command line. Nothing below this package knows how it is called."""
