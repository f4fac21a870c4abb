import type { AccessLogEntry } from "@tocsin/adapters-http/server"
import { isTraced } from "@tocsin/domain/adapter"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import { terminalText } from "@tocsin/cli/terminal/TerminalText"
import { withSourcePositions } from "./SourcePositions.ts"

/** `json`: a JSON object per line. `text`: a line to read, with the fields as `name=value`. */
export const logFormats = ["json", "text"] as const

export type LogFormat = (typeof logFormats)[number]

/** The format of the log before the configuration is decoded, or if it is invalid. */
export const logFormatOf = (given: string | undefined, isTerminal: boolean): LogFormat =>
  logFormats.find((format) => format === given) ?? (isTerminal ? "text" : "json")

/** One line of the log, whatever it is about. */
export interface LogLine {
  /** In Unix milliseconds. */
  readonly at: number
  /** `debug`, `info`, `warning`, `error` or `fatal`. */
  readonly level: string
  /** Constant: what differs is in the fields. */
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** Writes a line with its line break. Line breaks within are escaped. */
export const formatLogLine = (format: LogFormat, { at, level, message, fields }: LogLine): string => {
  const time = new Date(at).toISOString()
  if (format === "json") return `${JSON.stringify({ time, level, message, ...fields })}\n`
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${valueText(value)}`)
  return (
    terminalText(
      `${time} ${level.toUpperCase().padEnd(7)} ${message.replaceAll("\n", " ")}${pairs.join("")}`,
    ) + "\n"
  )
}

/** Quoted if its end would be ambiguous. */
const valueText = (value: unknown): string => {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return typeof value === "string" && !/^[^\s"=]+$/.test(text) ? JSON.stringify(text) : text
}

/** Logs to `write`: constant messages, with annotations, the trace and the cause as fields. */
export const lineLogger = (format: LogFormat, write: (line: string) => void): Logger.Logger<unknown, void> =>
  Logger.make(({ date, logLevel, message, cause, fiber }) => {
    const parts = Array.isArray(message) ? message : [message]
    const texts = parts.filter((part) => !Cause.isCause(part)).map((part) => messageText(part))
    const causes = [...parts.filter(Cause.isCause), cause].filter((each) => each.reasons.length > 0)
    const error = withSourcePositions(causes.map((each) => Cause.pretty(each)).join("\n"))
    const [first] = causes
    const span = isTraced(fiber) ? Context.getOrUndefined(fiber.context, Tracer.ParentSpan) : undefined
    write(
      formatLogLine(format, {
        at: date.getTime(),
        level: levelNames[logLevel] ?? logLevel.toLowerCase(),
        message: texts.length > 0 || first === undefined ? texts.join(" ") : errorName(first),
        fields: {
          ...(span !== undefined && { traceId: span.traceId, spanId: span.spanId }),
          ...fiber.getRef(References.CurrentLogAnnotations),
          ...(error !== "" && { error }),
        },
      }),
    )
  })

/** Writes a completed request as the log has it. */
export const formatAccessLine =
  (format: LogFormat) =>
  ({ at, ...fields }: AccessLogEntry): string =>
    formatLogLine(format, { at, level: "info", message: "Request", fields: { ...fields } })

const messageText = (part: unknown): string => (typeof part === "string" ? part : JSON.stringify(part))

const errorName = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? error.name : "Error"
}

const levelNames: Readonly<Record<string, string>> = {
  Fatal: "fatal",
  Error: "error",
  Warn: "warning",
  Info: "info",
  Debug: "debug",
  Trace: "debug",
}
