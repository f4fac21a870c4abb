// A worker whose run was killed would go on to the end of its test file, and longer when something keeps it waiting.
if (process.listenerCount("disconnect") === 0) process.once("disconnect", () => process.exit(1))
