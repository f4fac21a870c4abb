import { Context, Effect, Layer } from "effect"
import { type ConsoleFiles, readConsoleFiles } from "./ConsoleFiles.ts"

/**
 * The web console that a server serves beside its API; none where nothing is provided, and then nobody can sign in
 * either: cookies are not looked at.
 *
 * Source: decision 0706.
 */
export class ConsoleOptions extends Context.Reference<ConsoleOptions>()(
  "@tocsin/adapters-http/console/ConsoleOptions",
  { defaultValue: (): { readonly files: ConsoleFiles | undefined } => ({ files: undefined }) },
) {}

/** Serves the web console that was built into a directory; where there is none, a page that says so. */
export const layer = (directory: string): Layer.Layer<ConsoleOptions> =>
  Layer.effect(
    ConsoleOptions,
    Effect.map(readConsoleFiles(directory), (files) => ({ files })),
  )
