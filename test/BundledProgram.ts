import { basename, join } from "node:path"

/** Where `bundlePrograms` writes the program of a TypeScript file. */
export const bundledProgram = (file: string | URL, folder: string): string =>
  join(folder, `${basename(typeof file === "string" ? file : file.pathname, ".ts")}.mjs`)
