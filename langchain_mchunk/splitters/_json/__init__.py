"""JSON read, written once and packed, for `JSONSplitter`."""
