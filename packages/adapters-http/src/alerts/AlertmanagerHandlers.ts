import { workFor } from "@tocsin/domain"
import { receiveAlertmanager } from "@tocsin/formats/alertmanager"
import { serve } from "../serve/Serve.ts"
import { alertmanager } from "./Alertmanager.ts"

export const alertmanagerRoutes = serve(alertmanager, {
  receiveAlertmanager: ({ organization, severity, body }) =>
    receiveAlertmanager(organization, body, { severity }).pipe(workFor(organization)),
})
