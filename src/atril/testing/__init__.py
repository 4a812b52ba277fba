"""Public fakes and conformance suites for tests of Atril and of what is built on it."""
