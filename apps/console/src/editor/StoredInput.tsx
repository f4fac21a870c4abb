import { Button, TextInput, type TextInputProps } from "@mantine/core"
import { t } from "../language/Text.tsx"
import { focusLater } from "./Focus.ts"

/** A stored secret, which the API never returns, with a button to enter another one. */
export const StoredInput = ({
  replaceLabel,
  onReplace,
  ...props
}: TextInputProps & { readonly replaceLabel: string; readonly onReplace: () => void }) => (
  <TextInput
    {...props}
    readOnly
    value="••••••••"
    rightSectionWidth={82}
    rightSection={
      <Button
        variant="subtle"
        size="compact-xs"
        aria-label={replaceLabel}
        onClick={() => {
          onReplace()
          focusLater(props.id ?? "")
        }}
      >
        {t("Replace")}
      </Button>
    }
  />
)
