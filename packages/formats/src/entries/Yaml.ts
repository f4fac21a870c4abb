/** Writing YAML. The entry imports nothing, so that a browser loads little. */
export { writeYamlDocument, writeYamlItems } from "../documents/WriteYaml.ts"
