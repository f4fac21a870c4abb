declare module "virtual:rules/*" {
  import type { Rules } from "./editor/Rules.ts"
  const rules: Rules
  export default rules
}
