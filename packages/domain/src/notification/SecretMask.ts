import { hiddenValue } from "../alert-method/HiddenValue.ts"
import type { WebhookUrl } from "../alert-method/WebhookUrl.ts"
import { Limits } from "../Limits.ts"

/** Puts `[hidden]` in the place of every secret in a text. */
export type SecretMask = (text: string) => string

/**
 * Makes the mask of an alert method for what its receiver answers: one that echoes the request, as many do in their
 * error pages, would show its secrets to everybody who reads the log of deliveries.
 *
 * Hidden are the values of secret headers, what follows a scheme in them, the URL, its host, path and query values,
 * each as it is and as JSON writes it, and a beginning of any of them where the kept answer was cut off. What is
 * shorter than 4 characters is left.
 *
 * Source: decision 0104.
 */
export const makeSecretMask = (url: WebhookUrl, secretHeaderValues: ReadonlyArray<string>): SecretMask => {
  const secrets = [
    ...secretHeaderValues.flatMap((value) => [value, value.slice(value.indexOf(" ") + 1)]),
    ...queryValues(url),
    url.href,
    url.authority,
    url.target,
    url.path,
  ]
  const written = [...new Set(secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))]
    .filter((secret) => secret.length >= shortestMasked)
    .toSorted((a, b) => b.length - a.length)
  const pattern = new RegExp(written.map(escapeForPattern).join("|"), "g")
  return (text) => {
    if (text === "") return text
    const masked = text.replace(pattern, hiddenValue)
    // Only a text that fills what is kept may have been cut off; a character is at most three bytes in length.
    if (text.length * 3 < Limits.responseBodyKeptMaxBytes - 3) return masked
    return maskCutOff(masked, written)
  }
}

/** The values in the query as they stand there, and decoded. */
const queryValues = ({ path, target }: WebhookUrl): ReadonlyArray<string> =>
  target
    .slice(path.length + 1)
    .split("&")
    .map((pair) => pair.slice(pair.indexOf("=") + 1))
    .flatMap((value) => [value, decoded(value)])

const decoded = (value: string): string => {
  try {
    return decodeURIComponent(value.replaceAll("+", " "))
  } catch {
    return value
  }
}

/** Masks the longest end of the text that is the beginning of a secret. */
const maskCutOff = (text: string, secrets: ReadonlyArray<string>): string => {
  const longest = secrets[0]?.length ?? 0
  for (let at = Math.max(0, text.length - longest); at <= text.length - shortestMasked; at++) {
    const end = text.slice(at)
    if (secrets.some((secret) => secret.startsWith(end))) return text.slice(0, at) + hiddenValue
  }
  return text
}

const escapeForPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")

const shortestMasked = 4
