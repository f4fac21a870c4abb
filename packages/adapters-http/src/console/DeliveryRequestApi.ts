import * as Schema from "effect/Schema"
import {
  OrganizationHeader,
  NotFound,
  organizationErrors,
  endpoint,
  count,
  IdParam,
  optionalText,
  type OperationExample,
} from "@tocsin/api/openapi"
import { delivery } from "./ConsoleExamples.ts"

const DeliveryRequestSchema = Schema.Struct({
  method: Schema.Literal("POST"),
  body: optionalText("By the alert method as it is now"),
  contentDigest: optionalText("Of the body"),
  bodyState: Schema.Literals([
    "as_sent",
    "changed",
    "link_hidden",
    "method_deleted",
    "too_large",
    "unknown",
  ]).annotate({
    description:
      "Whether the body is what the latest attempt sent: changed means that the alert method or the base URL has changed since, and link_hidden that it has a link whose token is hidden",
  }),
  attempts: Schema.Array(
    Schema.Struct({
      number: count,
      headers: Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String })).annotate({
        description: "In the order sent, without Signature",
      }),
      signatureBase: Schema.String.annotate({ description: "With hidden authority and path" }),
      isBodyAsSent: Schema.Boolean,
    }),
  ).annotate({ description: "The attempts that signed a request, oldest first" }),
}).annotate({ identifier: "DeliveryRequest" })

const example: OperationExample = {
  parameters: { id: delivery.id },
  response: {
    method: "POST",
    body: '{"slo":"checkout-latency"}',
    contentDigest: "sha-256=:lT8gMXHZWpYO2aEKNzEDRIVWBYu4ZxR0wBBpAQ9WYPE=:",
    bodyState: "as_sent",
    attempts: [
      {
        number: 1,
        headers: [
          { name: "Content-Type", value: "application/json" },
          {
            name: "Content-Digest",
            value: "sha-256=:lT8gMXHZWpYO2aEKNzEDRIVWBYu4ZxR0wBBpAQ9WYPE=:",
          },
          {
            name: "Signature-Input",
            value:
              'sig1=("@method" "@authority" "@path" "content-digest" "content-type");created=1769774405;keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";alg="ed25519"',
          },
          { name: "Notification-Event", value: "alert.triggered" },
          { name: "Notification-Id", value: delivery.id },
          { name: "Notification-Attempt", value: "1" },
        ],
        signatureBase:
          '"@method": POST\n"@authority": [hidden]\n"@path": [hidden]\n"content-digest": sha-256=:lT8gMXHZWpYO2aEKNzEDRIVWBYu4ZxR0wBBpAQ9WYPE=:\n"content-type": application/json\n"@signature-params": ("@method" "@authority" "@path" "content-digest" "content-type");created=1769774405;keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";alg="ed25519"',
        isBodyAsSent: true,
      },
    ],
  },
}

export const showDeliveryRequest = endpoint.get(
  "showDeliveryRequest",
  "/api/console/deliveries/:id/request",
  {
    params: IdParam,
    headers: OrganizationHeader,
    success: DeliveryRequestSchema,
    error: [...organizationErrors, NotFound],
    summary: "Show what a delivery sent",
    description:
      "Bodies and signatures are not stored: the body is rendered again and compared with the digest that each attempt logged. URL, secret headers and tokens are hidden.",
    example: example,
  },
)
