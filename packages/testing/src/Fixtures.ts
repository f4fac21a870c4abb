/** Definitions, alerts and notifications for tests of stores, and steps that write them without the rules of the use cases. */
export { alertOf } from "./contract/alert-store.ts"
export {
  aMethod,
  aNotification,
  aNotificationContent,
  notify,
  removeMethod,
  settleAllDue,
} from "./contract/deliveries.ts"
export { aGroupedSlo } from "./contract/objective-groups.ts"
export { calendarOf, instantOf, sourceUrlOf, webhookUrlOf } from "./contract/ParsedValues.ts"
export { anSlo, changeDefinitions, putDefinitions, removeSlos } from "./contract/slo-definitions.ts"
