/** The webhook of Alertmanager, and of Grafana's contact points, as alerts. */
export { alertmanagerGroup, AlertmanagerGroupIsInvalid } from "../alertmanager/AlertmanagerGroup.ts"
export {
  type AlertmanagerOutcome,
  type AlertmanagerReceipt,
  defaultExternalSeverity,
  receiveAlertmanager,
} from "../alertmanager/ReceiveAlertmanager.ts"
