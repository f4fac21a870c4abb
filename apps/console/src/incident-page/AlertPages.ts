// One file has both pages with the charts of alerts. In a separate file, each would add the code of charts to what every page loads.
export { default as AlertPage } from "../alerts/AlertPage.tsx"
export { default as IncidentPage } from "./IncidentPage.tsx"
