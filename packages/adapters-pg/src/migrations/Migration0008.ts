/** The ID of its alert in the JSON of a notification, up to the first quote: what the indexes below hold. */
export const alertIdInNotification = `(split_part(split_part(notification, '"alertId":"', 2), '"', 1) COLLATE "C")`

/**
 * What deliveries are found by when those of one alert are asked for.
 *
 * It is read from the notification, so that nothing is rewritten for the deliveries of before, and a program of before
 * that is still running writes what is found too.
 */
export const migration0008: ReadonlyArray<string> = [
  `CREATE INDEX deliveries_by_alert ON deliveries (organization, ${alertIdInNotification}, id)`,
  `CREATE INDEX settled_deliveries_by_alert ON settled_deliveries (organization, ${alertIdInNotification}, id)`,
]
