import { acknowledgeByLink, findLinkedAlert, testAcknowledgeToken } from "@tocsin/domain"
import type { Alert } from "@tocsin/domain/alerting"
import { acknowledgePath } from "@tocsin/domain/limits"
import { isoTimestampText } from "@tocsin/domain/template"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { clientAddressOf } from "../frame/ClientAddress.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import type { ApiResponse } from "../frame/ApiResponse.ts"
import { rateLimitHeaders } from "../frame/RateLimitHeaders.ts"

type LinkUse = typeof findLinkedAlert | typeof acknowledgeByLink

const respond = (use: LinkUse) => (request: ApiRequest) =>
  Effect.gen(function* () {
    const token = request.query.get("token") ?? ""
    if (token === testAcknowledgeToken) return page(200, "Test notification", testText)
    return alertPage(yield* use(token, yield* clientAddressOf(request)))
  }).pipe(
    Effect.catchTags({
      AcknowledgeTokenIsInvalid: ({ reason }) =>
        Effect.succeed(
          reason === "expired"
            ? page(410, "Link expired", `The link has expired. ${otherWays}`)
            : page(403, "Invalid link", `The link is incomplete or was changed. ${otherWays}`),
        ),
      AlertNotFound: () => Effect.succeed(page(404, "Alert not found", "The alert has been deleted.")),
      AlertIsClosed: ({ status }) =>
        Effect.succeed(
          page(409, "Alert is not open", `The alert is ${status}. There is nothing to acknowledge.`),
        ),
      RateLimitIsExceeded: ({ status }) =>
        Effect.succeed(
          page(
            429,
            "Too many requests",
            "Too many invalid links were opened from your network. Try again in a few seconds.",
            rateLimitHeaders(status),
          ),
        ),
    }),
  )

/**
 * The page of links that acknowledge an alert (spec/alerting §19). GET changes nothing, because mail scanners and message
 * previews follow links; the button of the page sends POST.
 */
export const acknowledgeRoutes = [
  { method: "GET", path: acknowledgePath, handler: respond(findLinkedAlert) },
  { method: "POST", path: acknowledgePath, handler: respond(acknowledgeByLink) },
]

const otherWays = "Acknowledge the alert in the web console or over the API."

const testText = "The link belongs to a test notification, which has no alert to acknowledge."

const alertPage = ({ subject, severity, status, triggeredAt, acknowledgement }: Alert): ApiResponse => {
  const facts = [
    ["SLO", `${subject.slo.project}/${subject.slo.name}`],
    ["Objective", subject.objective],
    ["Alert policy", subject.alertPolicy?.name],
    ["Severity", severity],
    ["Status", status],
    ["Triggered", isoTimestampText(triggeredAt)],
    ["Acknowledged by", acknowledgement?.by],
    ["Acknowledged", acknowledgement && isoTimestampText(acknowledgement.at)],
  ].map(([name, value]) => (value === undefined ? "" : `<dt>${name}</dt><dd>${htmlText(value)}</dd>`))
  return acknowledgement === undefined
    ? htmlPage(200, "Acknowledge alert", `<dl>${facts.join("")}</dl>${form}`)
    : htmlPage(200, "Alert acknowledged", `<dl>${facts.join("")}</dl>`)
}

/** Sends POST to the URL of the page, which has the token. */
const form = `<form method="post"><button>Acknowledge alert</button></form>`

const page = (status: number, title: string, text: string, headers?: ApiResponse["headers"]): ApiResponse =>
  htmlPage(status, title, `<p>${text}</p>`, headers)

const style =
  "body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:10vh auto;padding:0 1rem;color-scheme:light dark}" +
  "dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem}dd{margin:0;overflow-wrap:anywhere}" +
  "button{font:inherit;padding:.5rem 1rem;cursor:pointer}"

/** The policy allows the style by its hash, the form, and nothing else. */
const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; "),
  "x-frame-options": "DENY",
  "x-robots-tag": "noindex",
  "referrer-policy": "no-referrer",
}

const htmlPage = (
  status: number,
  title: string,
  content: string,
  headers: ApiResponse["headers"] = {},
): ApiResponse => ({
  status,
  headers: { ...headers, ...pageHeaders },
  body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Tocsin</title>
<style>${style}</style>
<main>
<h1>${title}</h1>
${content}
</main>
</html>
`,
})

const htmlText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")
