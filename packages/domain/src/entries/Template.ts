/** Templates of notifications: their variables, how they are checked, and how they are rendered. */
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
  type VariableName,
  variables,
  type VariableValues,
} from "../template/Variable.ts"
export { isoTimestampText } from "../template/VariableText.ts"
