import { alertMethod } from "../definitions/DefinitionExamples.ts"
import type { OperationExample } from "@tocsin/api/openapi"

const parameters = { name: "on-call", project: "default" }

export const healthy = {
  isDisabled: false,
  failures: 0,
  lastSuccessAt: "2026-01-30T11:58:02.310Z",
  isPaused: false,
  inFlight: 0,
  isAllPaused: false,
}

const body =
  '{"slo_name":"checkout-latency","severity":"high","notification_id":"019c0ec6-55db-7197-a4a1-221cbd03a7a3"}'

const digest = "sha-256=:1HXfTgM9EIKetMgMQXBufNl0/tbWQE46fHZE4uVaFxc=:"

const signatureParams =
  '("@method" "@authority" "@path" "content-digest" "content-type");created=1769774405;keyid="af5WKBzN058Km2Mf51Rhiqe-uKAQSnjg6oJ4qbcHZdw";alg="ed25519"'

const headersOf = (event: string) => [
  { name: "Content-Type", value: "application/json" },
  { name: "Content-Digest", value: digest },
  { name: "Signature-Input", value: `sig1=${signatureParams}` },
  { name: "Notification-Event", value: event },
  { name: "Notification-Id", value: "019c0ec6-55db-7197-a4a1-221cbd03a7a3" },
  { name: "Notification-Attempt", value: "1" },
  { name: "Authorization", value: "[hidden]" },
]

export const previewAlertMethod: OperationExample = {
  request: alertMethod,
  response: {
    body,
    headers: headersOf("alert.triggered"),
    signatureBase: [
      '"@method": POST',
      '"@authority": hooks.example.com',
      '"@path": /alerts',
      `"content-digest": ${digest}`,
      '"content-type": application/json',
      `"@signature-params": ${signatureParams}`,
    ].join("\n"),
    warnings: [],
  },
}

export const testAlertMethod: OperationExample = {
  parameters,
  response: {
    deliveryId: "019c0ec6-55db-7197-a4a1-221cbd03a7a3",
    message: "Test completed successfully!",
    attempt: {
      number: 1,
      startedAt: "2026-01-30T12:00:05.092Z",
      durationMs: 38.2,
      connectMs: 21.7,
      headMs: 36.9,
      status: 204,
    },
    request: { method: "POST", headers: headersOf("test"), body },
    warnings: [],
  },
}

export const testProposedAlertMethod: OperationExample = {
  request: { definition: alertMethod },
  response: {
    message: "Test failed",
    detail: "the receiver refused the connection",
    attempt: {
      number: 1,
      startedAt: "2026-01-30T12:00:05.092Z",
      durationMs: 4.1,
      lookupMs: 2.2,
      reason: "connect_refused",
      detail: "the receiver refused the connection",
    },
    warnings: [],
  },
}

export const findAlertMethodHealth: OperationExample = { parameters, response: healthy }

export const enableAlertMethod: OperationExample = { parameters, response: healthy }

export const pauseAlertMethod: OperationExample = {
  parameters,
  response: { ...healthy, isPaused: true },
}

export const resumeAlertMethod: OperationExample = { parameters, response: healthy }
