import { existsSync } from "node:fs"
import { join } from "node:path"

/** Where the web console is that was built: beside the bundled server, or else where its own build leaves it. */
export const consoleDirectory = (): string => {
  const bundled = join(import.meta.dirname, "console")
  return existsSync(bundled) ? bundled : join(import.meta.dirname, "../../../console/dist")
}
