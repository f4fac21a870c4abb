/** The badge of an SLO with open alerts, quieter once all of them are acknowledged; `undefined` without any. */
export const openAlertsStatus = (
  open: number,
  acknowledged: number,
): "alerting" | "acknowledged" | undefined =>
  open === 0 ? undefined : open === acknowledged ? "acknowledged" : "alerting"
