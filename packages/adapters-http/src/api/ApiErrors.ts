import { accessErrors } from "../access/AccessErrors.ts"
import { alertErrors } from "../alerts/AlertErrors.ts"
import { alertMethodErrors } from "../alert-methods/AlertMethodErrors.ts"
import { dataSourceErrors } from "../data-sources/DataSourceErrors.ts"
import { definitionErrors } from "../definitions/DefinitionErrors.ts"
import { deliveryErrors } from "../deliveries/DeliveryErrors.ts"
import { frameErrors, unavailable } from "../frame/FrameErrors.ts"
import { healthErrors } from "./HealthHandlers.ts"
import { credentialErrors } from "../credentials/CredentialErrors.ts"
import { incidentErrors } from "../incidents/IncidentErrors.ts"
import { annotationErrors } from "../annotations/AnnotationErrors.ts"
import { reportErrors } from "../reports/ReportErrors.ts"
import { resendErrors } from "../resends/ResendErrors.ts"
import { sessionErrors } from "../session/SessionErrors.ts"
import { signingKeyErrors } from "../signing-keys/SigningKeyErrors.ts"
import { statusPageErrors } from "../status-pages/StatusPageErrors.ts"
import { sloErrors } from "../slos/SloErrors.ts"

/** The status and body of every failure of the API; one that is missing here does not compile in `ApiHandlers`. */
export const apiErrors = {
  ...frameErrors,
  ...healthErrors,
  ...accessErrors,
  ...sessionErrors,
  ...credentialErrors,
  ...signingKeyErrors,
  ...sloErrors,
  ...definitionErrors,
  ...dataSourceErrors,
  ...alertErrors,
  ...alertMethodErrors,
  ...deliveryErrors,
  ...annotationErrors,
  ...incidentErrors,
  ...reportErrors,
  ...resendErrors,
  ...statusPageErrors,
  StoreIsUnavailable: () => unavailable,
}
