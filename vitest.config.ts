import { availableParallelism } from "node:os"
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config"

/** Topics whose tests start programs; each file has a process of its own. */
const processes = ["deploy", "docs", "embedding", "server"]

/** Topics whose tests share one PostgreSQL, where each file has a database and a process of its own. */
const database = ["console", "crash", "e2e", "pg"]

/** Topics that need a program or packages that `npm ci` does not bring; run by `--mode`. */
const apart = ["clients", "help", "languages", "packaging", "packed", "peers", "release"]

/** The benchmarks in their short form, which start programs too. */
const ofBenchmarks = "bench/*.test.ts"

/** The tests of each package; those of the PostgreSQL adapter need its database. */
const ofPackages = "packages/*/test/**/*.test.ts"
const ofStores = "packages/adapters-pg/test/**/*.test.ts"

/** The tests of the applications, most of which start programs. */
const ofApps = "apps/*/test/*.test.ts"
const ofAppsDatabase = "apps/*/test/pg/*.test.ts"

const filesOf = (topics: ReadonlyArray<string>) => topics.map((topic) => `test/${topic}/**/*.test.ts`)

export default defineConfig(({ mode }) => {
  const project = (
    name: string,
    test: TestProjectInlineConfiguration["test"],
    // In a project, the mode is always `test`.
  ): TestProjectInlineConfiguration => ({ extends: true, test: { name, env: { TEST_MODE: mode }, ...test } })
  return {
    resolve: { conditions: ["source"] },
    ssr: { resolve: { conditions: ["source"] } },
    // Where Vitest runs the global setup.
    environments: { __vitest__: { resolve: { conditions: ["source"] } } },
    test: {
      projects: [
        // Files of one worker share its modules, which take longer to load than most of these tests to run.
        project("units", {
          include: ["test/**/*.test.ts", ofPackages],
          exclude: [...filesOf([...processes, ...database, ...apart]), ofStores],
          isolate: false,
        }),
        project("processes", {
          include: [
            ...filesOf(
              ["clients", "help", "languages", "packed", "release"].includes(mode)
                ? [...processes, mode]
                : processes,
            ),
            ofApps,
            ofBenchmarks,
          ],
          // Packing and installing take minutes, which no limit of a hook counts.
          ...(mode === "packed" && { globalSetup: ["test/packed/globalSetup.ts"] }),
        }),
        project("database", {
          include: [
            ...filesOf([...database, ...(["packaging", "peers"].includes(mode) ? [mode] : [])]),
            ofStores,
            ofAppsDatabase,
          ],
          globalSetup: ["test/pg/globalSetup.ts"],
        }),
      ],
      setupFiles: ["test/workerSetup.ts"],
      pool: "forks",
      maxWorkers: Math.max(2, availableParallelism() - 1),
      // Nothing is right or wrong by the clock: a busy machine may take its time.
      // The condition `source` of packages that the client imports is TypeScript, as ours is.
      server: { deps: { inline: [/\/(@modelcontextprotocol\/client|eventsource(-parser)?)\//] } },
      testTimeout: 180_000,
      hookTimeout: 180_000,
      expect: { poll: { timeout: 60_000, interval: 50 } },
      reporters: ["default", "./scripts/closing-line.mjs"],
    },
  }
})
