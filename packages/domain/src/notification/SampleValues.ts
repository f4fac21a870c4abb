import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { type VariableValues, sampleVariableValues } from "../template/Variable.ts"
import { sloDetailsLink } from "../template/VariableText.ts"

/** The sample values as an organization sees them, on a console at `baseUrl`. */
export const sampleValues = (organization: OrganizationId, baseUrl: string): VariableValues => ({
  ...sampleVariableValues,
  organization,
  slo_details_link: sloDetailsLink(baseUrl, sampleVariableValues.project_name, sampleVariableValues.slo_name),
})
