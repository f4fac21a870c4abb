import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createHash, randomUUID } from "node:crypto"
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import type { AccessToken, ApiClientConfig, TokenCache } from "./ApiClient.ts"
import type { Environment } from "../config/Environment.ts"

/**
 * A cache in a file (in `$XDG_CACHE_HOME/tocsin` or `~/.cache/tocsin`; mode 0600) per server and credential, since an
 * organization can get only one token in 3 s. If the file cannot be read or written, each run gets its own token.
 */
export const makeTokenCache = (
  { url, organization, clientId, clientSecret }: ApiClientConfig,
  environment: Environment,
): TokenCache => {
  const folder = join(environment["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "tocsin")
  const identity = JSON.stringify([url, organization, clientId, Redacted.value(clientSecret)])
  const file = join(folder, `token-${createHash("sha256").update(identity).digest("hex")}.json`)
  return {
    read: Effect.promise(async () => {
      try {
        const { accessToken, expiresAt } = JSON.parse(await readFile(file, "utf8")) as Partial<AccessToken>
        return typeof accessToken === "string" && typeof expiresAt === "number"
          ? { accessToken, expiresAt }
          : undefined
      } catch {
        return undefined
      }
    }),
    write: (token) =>
      Effect.ignore(
        Effect.tryPromise(async () => {
          await mkdir(folder, { recursive: true, mode: 0o700 })
          // An unpredictable name: another user could have created a file or link with a known one.
          const draft = `${file}.${randomUUID()}`
          await writeFile(draft, JSON.stringify(token), { mode: 0o600, flag: "wx" })
          await rename(draft, file)
        }),
      ),
    remove: Effect.ignore(Effect.tryPromise(() => rm(file, { force: true }))),
  }
}
