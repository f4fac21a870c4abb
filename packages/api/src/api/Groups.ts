import { resourceGroup } from "../openapi/ResourceGroup.ts"
import alertExamples from "../alerts/examples.json" with { type: "json" }
import resendExamples from "../resends/examples.json" with { type: "json" }
import keyExamples from "../signing-keys/examples.json" with { type: "json" }
import sloExamples from "../slos/examples.json" with { type: "json" }
import { resources } from "./Resources.ts"

/** What describes the resources in the OpenAPI document, with the examples that the tests send and check. */
export const groups = {
  alerts: resourceGroup("alerts", resources.alerts, alertExamples),
  counts: resourceGroup("counts", resources.counts, sloExamples),
  organizationKeys: resourceGroup("signingKeys", resources.organizationKeys, keyExamples),
  resends: resourceGroup("resends", resources.resends, resendExamples),
} satisfies Record<keyof typeof resources, unknown>
