import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type ConsoleFiles, readConsoleFiles } from "./ConsoleFiles.ts"

/**
 * The web console that a server serves beside its API; none where nothing is provided, and then nobody can sign in
 * either: cookies are not looked at.
 *
 * Source: decision 0706.
 */
export const ConsoleOptions = Context.Reference<{ readonly files: ConsoleFiles | undefined }>(
  "@tocsin/adapters-http/console/ConsoleOptions",
  { defaultValue: () => ({ files: undefined }) },
)

/** Serves the web console that was built into a directory; where there is none, a page that says so. */
export const layer = (directory: string): Layer.Layer<never> =>
  Layer.effect(
    ConsoleOptions,
    Effect.map(readConsoleFiles(directory), (files) => ({ files })),
  )
