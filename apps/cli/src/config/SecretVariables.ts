import { readFileSync } from "node:fs"
import type { Environment } from "./Environment.ts"

/** The variables with secrets. Each can be in a file instead, which the variable with `_FILE` at its end names. */
export const secretVariables = [
  "DATABASE_URL",
  "TOCSIN_MASTER_KEY",
  "TOCSIN_PREVIOUS_MASTER_KEY",
  "TOCSIN_BOOTSTRAP_CREDENTIALS",
  "TOCSIN_SMTP_URL",
  "TOCSIN_CLIENT_SECRET",
] as const

export const fileVariables: ReadonlyArray<string> = secretVariables.map((variable) => `${variable}_FILE`)

/**
 * The environment with the secrets of files, without a line break at their end. A file that cannot be used stays in it as
 * its variable, which `secretFileIssue` explains to the commands that need the secret.
 */
export const withSecretFiles = (environment: Environment): Environment => {
  const read: Record<string, string | undefined> = { ...environment }
  for (const variable of secretVariables) {
    const file = environment[`${variable}_FILE`]
    if (!file || environment[variable]) continue
    const text = readText(file)
    if (text === undefined) continue
    read[variable] = text
    delete read[`${variable}_FILE`]
  }
  return read
}

const readText = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8").replace(/\r?\n$/, "")
  } catch {
    return undefined
  }
}

/** Why the file of a secret was not used, if it was not. */
export const secretFileIssue = (
  environment: Environment,
  variable: string,
): { readonly variable: string; readonly message: string } | undefined => {
  const name = `${variable}_FILE`
  const file = environment[name]
  if (!file || !fileVariables.includes(name)) return undefined
  return {
    variable: name,
    message: environment[variable]
      ? `must not be set together with ${variable}`
      : `must name a file that can be read, but is "${file}"`,
  }
}
