import { Command } from "commander"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as LogLevel from "effect/LogLevel"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as References from "effect/References"
import { resolve } from "node:path"
import { startServer } from "../server/Server.ts"
import { decodeServerConfig, type ServerConfig, type StoreConfig } from "../config/ServerConfig.ts"
import { type LogLevelName, serverVariables, settings } from "../config/Settings.ts"
import type { Environment } from "@tocsin/cli/config/Environment"
import type { CommandContext } from "@tocsin/cli/command/CommandContext"
import { openTelemetry } from "../telemetry/OpenTelemetry.ts"
import { formatLogLine, lineLogger, logFormatOf } from "../terminal/LogFormat.ts"

/** The first sentence about each variable, without links. */
const variablesText = serverVariables
  .map((name) => {
    const [sentence] = settings[name].description.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1").split(/(?<=\.) /)
    return `  ${name}\n      ${sentence}`
  })
  .join("\n")

export const serveCommand = (context: CommandContext): Command =>
  new Command("serve")
    .summary("run the server")
    .description("Run the server. It is configured with environment variables.")
    .addHelpText(
      "after",
      `\nEnvironment variables (\`tocsin config show\` prints their values; /help/settings of a server has more about them):\n${variablesText}\n\nTo read a secret from a file, set the variable with the suffix _FILE to its path, such as TOCSIN_MASTER_KEY_FILE.`,
    )
    .option("--no-migrate", "fail if the schema of the database has to be migrated (env: TOCSIN_MIGRATE=off)")
    .option(
      "--allow-unsupported-sources",
      "store SLOs, Agents and Directs of unsupported data sources (env: TOCSIN_ALLOW_UNSUPPORTED_SOURCES=on)",
    )
    .action(({ migrate, allowUnsupportedSources = false }: ServeFlags) =>
      context.runUntilStopped(
        Effect.flatMap(
          Effect.fromResult(decodeServerConfig(context.environment, process.stderr.isTTY)),
          (config) =>
            serve(
              {
                ...config,
                migrates: config.migrates && migrate,
                allowsUnsupportedSources: config.allowsUnsupportedSources || allowUnsupportedSources,
              },
              context.environment,
            ),
        ),
        logFormatOf(context.environment["TOCSIN_LOG_FORMAT"], process.stderr.isTTY),
      ),
    )

interface ServeFlags {
  readonly migrate: boolean
  readonly allowUnsupportedSources?: boolean
}

const serve = (config: ServerConfig, environment: Environment) =>
  Effect.gen(function* () {
    const { url, baseUrl, metricsUrl } = yield* startServer(config, {
      ...(hasAccessLog(config.logLevel) && { writeAccessLog: (lines) => process.stdout.write(lines) }),
    })
    const storage = storageText(config.store)
    if (config.logFormat === "json") {
      const fields = { url, baseUrl, storage, egressAllowCidrs: config.egressAllowCidrs, metricsUrl }
      const at = yield* Clock.currentTimeMillis
      const line = formatLogLine("json", { at, level: "info", message: "Tocsin is listening", fields })
      // Whatever the level: as the lines below.
      process.stderr.write(line)
    } else {
      yield* Console.error(`Tocsin is listening on ${url}`)
      yield* Console.error(`  Web console:   ${baseUrl}/`)
      yield* Console.error(`  API reference: ${baseUrl}/docs`)
      yield* Console.error(`  Documentation: ${baseUrl}/help`)
      yield* Console.error(`  Storage:       ${storage}`)
      if (config.egressAllowCidrs.length > 0)
        yield* Console.error(`  Egress:        ${config.egressAllowCidrs.join(", ")} allowed`)
      if (metricsUrl !== undefined) yield* Console.error(`  Metrics:       ${metricsUrl}`)
    }
    return yield* Effect.never
  }).pipe(
    Effect.scoped,
    Effect.provide(openTelemetry(environment)),
    Effect.provideService(References.MinimumLogLevel, logLevels[config.logLevel]),
    Effect.provide(Logger.layer([lineLogger(config.logFormat, (line) => process.stderr.write(line))])),
    Effect.provideService(Metric.MetricRegistry, new Map()),
  )

/** Does not include the URL of a database, as it may contain a password. */
const storageText = (store: StoreConfig): string => {
  switch (store.kind) {
    case "embedded": {
      const contents = store.masterKey === undefined ? "database and master key" : "database"
      return `${resolve(store.dataDirectory)} (${contents})`
    }
    case "postgres":
      return "PostgreSQL at DATABASE_URL"
    case "memory":
      return "memory; data is lost when the server stops"
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
