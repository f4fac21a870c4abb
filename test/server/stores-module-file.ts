import { build } from "esbuild"
import { join } from "node:path"
import { dataDirectory } from "./child-process.ts"

/** A module with an instance of Effect of its own, as one that is installed beside a server has. */
export const moduleOf = async (contents: string): Promise<string> => {
  const outfile = join(dataDirectory(), "stores.mjs")
  await build({
    stdin: { contents, resolveDir: join(import.meta.dirname, "../../examples/src"), loader: "ts" },
    bundle: true,
    format: "esm",
    platform: "node",
    conditions: ["source"],
    outfile,
  })
  return outfile
}
