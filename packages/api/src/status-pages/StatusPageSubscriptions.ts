import { subscriptionKinds } from "@tocsin/domain/features/status-page"
import * as Schema from "effect/Schema"
import { noContent, optionalText, pageOf, time } from "../operation/Fields.ts"
import { resource } from "../operation/Operation.ts"

/** A subscription to a status page. */
const statusPageSubscription = Schema.Struct({
  id: Schema.String,
  project: Schema.String.annotate({ description: "Project of the status page" }),
  kind: Schema.Literals(subscriptionKinds),
  contact: Schema.String.annotate({
    description: "Email address, or the host of the webhook: its URL may contain a secret",
  }),
  createdAt: time("When the subscription was requested"),
  confirmedAt: Schema.optionalKey(
    time(
      "When the subscription was confirmed. Omitted until then: nothing but the request to confirm is sent",
    ),
  ),
}).annotate({ identifier: "StatusPageSubscription" })

/** The JSON of `statusPageSubscription`. */
export type StatusPageSubscription = (typeof statusPageSubscription)["Encoded"]

/** Who is notified of what status pages publish. */
export const statusPageSubscriptions = resource("Status pages", {
  listStatusPageSubscriptions: {
    method: "GET",
    path: "/api/status-page-subscriptions",
    role: "admin",
    query: { project: optionalText("Project of the status page. Default: all projects") },
    success: pageOf(statusPageSubscription),
    summary: "List subscriptions to status pages",
    description: "In the order in which they were requested.",
  },
  deleteStatusPageSubscription: {
    method: "DELETE",
    path: "/api/status-page-subscriptions/:id",
    role: "admin",
    success: noContent,
    errors: [404],
    summary: "Delete a subscription to a status page",
    description: "Deletes the email address or the URL of the subscriber. Nothing more is sent to it.",
  },
})
