/** A vitest reporter that ends a run with the plain line `N passed, N failed`, counted from the run's own results. */
export default class ClosingLine {
  onTestRunEnd(modules, unhandledErrors) {
    let passed = 0
    let failed = unhandledErrors.length
    let skipped = 0
    for (const module of modules) {
      // What fails outside a test, such as what a suite needs before its first one, is a failure too.
      for (const suite of [module, ...module.children.allSuites()]) failed += suite.errors().length
      for (const test of module.children.allTests()) {
        const state = test.result().state
        if (state === "passed") passed += 1
        else if (state === "failed") failed += 1
        else skipped += 1
      }
    }
    const line = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`
    process.once("exit", () => process.stdout.write(`${line}\n`))
  }
}
