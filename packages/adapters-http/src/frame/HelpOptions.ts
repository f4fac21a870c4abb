import * as Context from "effect/Context"

/** The path of the documentation. It is built for this path. */
export const helpPath = "/help"

/** The directory of the built documentation to serve under `/help`; without one, nothing is served there. */
export const HelpOptions = Context.Reference<{ readonly directory: string | undefined }>(
  "@tocsin/adapters-http/internal/frame/HelpOptions",
  { defaultValue: () => ({ directory: undefined }) },
)
