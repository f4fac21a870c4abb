import { acknowledgeByLink, findLinkedAlert, testAcknowledgeToken } from "@tocsin/domain"
import type { Alert } from "@tocsin/domain/alerting"
import { acknowledgePath } from "@tocsin/domain/limits"
import { isoTimestampText } from "@tocsin/domain/template"
import * as Effect from "effect/Effect"
import { actionPage, buttonForm, tooManyLinksPage } from "../frame/ActionPage.ts"
import { clientAddressOf } from "../frame/ClientAddress.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import type { ApiResponse } from "../frame/ApiResponse.ts"
import { escaped } from "../frame/Escaped.ts"

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
      RateLimitIsExceeded: ({ status }) => Effect.succeed(tooManyLinksPage(status)),
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
  ].map(([name, value]) => (value === undefined ? "" : `<dt>${name}</dt><dd>${escaped(value)}</dd>`))
  return acknowledgement === undefined
    ? actionPage(200, "Acknowledge alert", `<dl>${facts.join("")}</dl>${form}`)
    : actionPage(200, "Alert acknowledged", `<dl>${facts.join("")}</dl>`)
}

/** The URL of the page has the token. */
const form = buttonForm("Acknowledge alert")

const page = (status: number, title: string, text: string): ApiResponse =>
  actionPage(status, title, `<p>${text}</p>`)
