import { TextInput, type TextInputProps } from "@mantine/core"
import { t } from "../language/Text.tsx"

/** An input of labels as they are typed. What is wrong with them says how to quote, if that may be missing. */
export const LabelsInput = ({
  value,
  error,
  ...props
}: TextInputProps & { readonly value: string; readonly error: string | undefined }) => (
  <TextInput
    label={t("Labels")}
    description={t("Comma-separated key=value pairs. A key can be repeated.")}
    placeholder="team=payments, tier=gold"
    spellCheck={false}
    {...props}
    value={value}
    error={
      error !== undefined && /[,"]/.test(value)
        ? `${error} ${t("Put a value with a comma in quotes, such as {example}.", { example: 'note="eu, us"' })}`
        : error
    }
  />
)
