import { resourceGroup } from "../openapi/ResourceGroup.ts"
import resendExamples from "../resends/examples.json" with { type: "json" }
import keyExamples from "../signing-keys/examples.json" with { type: "json" }
import { resources } from "./Resources.ts"

/** What describes the resources in the OpenAPI document, with the examples that the tests send and check. */
export const groups = {
  organizationKeys: resourceGroup("signingKeys", resources.organizationKeys, keyExamples),
  resends: resourceGroup("resends", resources.resends, resendExamples),
} satisfies Record<keyof typeof resources, unknown>
