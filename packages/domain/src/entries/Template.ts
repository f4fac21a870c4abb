/** Templates of notifications as pure functions: parse, render, and the variables that they may use. */
export {
  parseTemplate,
  renderTemplate,
  type Template,
  type TemplateIssue,
  templateMaxBytes,
  templateMaxDepth,
} from "../template/Template.ts"
export { templateFieldsToTemplate } from "../template/TemplateFields.ts"
export {
  sampleVariableValues,
  variables,
  type VariableName,
  type VariableValues,
} from "../template/Variable.ts"
