import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"

export const root = join(import.meta.dirname, "../..")

export const read = (file: string): string => readFileSync(join(root, file), "utf8")

/** The paths of the files under a folder that match a pattern, without those that are installed or built. */
export const filesUnder = (folder: string, wanted: RegExp): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = `${folder}/${entry.name}`
    if (entry.isDirectory()) return /^(?:node_modules|dist)$/.test(entry.name) ? [] : filesUnder(file, wanted)
    return wanted.test(file) ? [file] : []
  })

/** The contents of a YAML or JSON file, whose shape the caller knows. */
export const readYaml = <A>(file: string): A => parse(read(file), { merge: true, logLevel: "error" }) as A

/** What a file of environment variables sets, as Docker Compose and systemd read it. */
export const readEnvironment = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
  )

/** A text in which each `${NAME}`, `${NAME:-default}` and `${NAME:?message}` has its value; fails where one is missing. */
export const interpolate = (text: string, environment: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, operator?: string, word = "") => {
    const value = environment[name] || (operator === "-" ? word : undefined)
    if (value === undefined) throw new Error(`${name} is not set: ${word}`)
    return value
  })
