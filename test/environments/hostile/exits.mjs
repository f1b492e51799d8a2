// Ends while it is loaded.
process.exit(5)
