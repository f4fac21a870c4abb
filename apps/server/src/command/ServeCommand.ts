import { Command } from "commander"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as LogLevel from "effect/LogLevel"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import { resolve } from "node:path"
import { ConfigIsInvalid } from "../client/ClientConfig.ts"
import { startServer } from "../server/Server.ts"
import {
  decodeServerConfig,
  type LogLevelName,
  type ServerConfig,
  serverVariables,
  type StoreConfig,
} from "../config/ServerConfig.ts"
import type { CommandContext } from "./CommandContext.ts"

/** `tocsin serve`: runs the server until it is told to stop. */
export const serveCommand = (context: CommandContext): Command =>
  new Command("serve")
    .summary("run the server")
    .description("Run the server. Its settings come from the environment; the README says what each does.")
    .addHelpText("after", `\nSettings:\n  ${serverVariables.join("\n  ")}`)
    .action(() =>
      context.runUntilStopped(
        Effect.mapError(
          Effect.fromResult(decodeServerConfig(context.environment)),
          (issues) => new ConfigIsInvalid({ issues }),
        ).pipe(Effect.flatMap(serve)),
      ),
    )

const serve = (config: ServerConfig) =>
  Effect.gen(function* () {
    const { url, baseUrl } = yield* startServer(config, {
      ...(hasAccessLog(config.logLevel) && { writeAccessLog: (lines) => process.stdout.write(lines) }),
    })
    yield* Console.error(`Tocsin listens on ${url}${baseUrl === url ? "" : `, reached as ${baseUrl}`}`)
    yield* Console.error(`  Web console: ${baseUrl}/`)
    yield* Console.error(`  API reference: ${url}/docs`)
    yield* Console.error(`  ${whereKept(config.store)}`)
    if (config.egressAllowCidrs.length > 0)
      yield* Console.error(`  Webhooks may also reach ${config.egressAllowCidrs.join(", ")}.`)
    return yield* Effect.never
  }).pipe(
    Effect.scoped,
    Effect.provideService(References.MinimumLogLevel, logLevels[config.logLevel]),
    Effect.provide(Logger.layer([stderrLogger])),
  )

/** Where everything is kept, for a person; the URL of a database is not told, as it may hold a password. */
const whereKept = (store: StoreConfig): string => {
  switch (store.kind) {
    case "embedded": {
      const what = store.masterKey === undefined ? "Everything, the master key too," : "Everything"
      return `${what} is kept in ${resolve(store.dataDirectory)}.`
    }
    case "postgres":
      return "Everything is kept in the PostgreSQL of DATABASE_URL."
    case "memory":
      return "The store is in memory: nothing survives a restart."
  }
}

const hasAccessLog = (level: LogLevelName): boolean => level === "debug" || level === "info"

const logLevels: Readonly<Record<LogLevelName, LogLevel.LogLevel>> = {
  debug: "Debug",
  info: "Info",
  warning: "Warn",
  error: "Error",
  none: "None",
}

/** The log goes to stderr, one line an entry; stdout has the access log alone. */
const stderrLogger = Logger.withConsoleError(Logger.formatLogFmt)
