import "@mantine/core/styles/baseline.css"
import "@mantine/core/styles/default-css-variables.css"
import "@mantine/core/styles/global.css"
import "@mantine/core/styles/UnstyledButton.css"
import "@mantine/core/styles/Button.css"
import "@mantine/core/styles/ActionIcon.css"
import "@mantine/core/styles/Input.css"
import "@mantine/core/styles/PasswordInput.css"
import "@mantine/core/styles/Loader.css"
import "@mantine/core/styles/InlineInput.css"
import "@mantine/core/styles/Checkbox.css"
import "@mantine/core/styles/Switch.css"
import "@mantine/core/styles/SegmentedControl.css"
import "@mantine/core/styles/FloatingIndicator.css"
import "@mantine/core/styles/Tabs.css"
import "@mantine/core/styles/Stack.css"
import "@mantine/core/styles/Group.css"
import "@mantine/core/styles/Paper.css"
import "@mantine/core/styles/Alert.css"
import "@mantine/core/styles/Progress.css"
import "@mantine/core/styles/Badge.css"
import "@mantine/core/styles/Fieldset.css"
import "@mantine/core/styles/CloseButton.css"
import "./tokens.css"
import "./console.css"
import { Badge, Button, createTheme, Input, MantineProvider, NativeSelect, Paper } from "@mantine/core"
import type { ReactNode } from "react"

/**
 * The theme of the console, in light and dark.
 *
 * All variables are in `tokens.css`, `console.css` and Mantine's own static file: the content security policy allows no style
 * element that a script inserts.
 */
export const Theme = ({ children }: { readonly children: ReactNode }) => (
  <MantineProvider
    theme={theme}
    defaultColorScheme="auto"
    withCssVariables={false}
    withGlobalClasses={false}
    withStaticClasses={false}
  >
    {children}
  </MantineProvider>
)

const theme = createTheme({
  primaryColor: "indigo",
  primaryShade: { light: 7, dark: 7 },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  spacing: { "2xs": "var(--space-2xs)" },
  components: {
    Button: Button.extend({ defaultProps: { fw: "var(--weight-medium)" }, classNames: { root: "button" } }),
    Badge: Badge.extend({ defaultProps: { size: "lg", tt: "none", lts: 0, fw: "var(--weight-bold)" } }),
    NativeSelect: NativeSelect.extend({
      defaultProps: { rightSection: <span aria-hidden>▾</span>, rightSectionPointerEvents: "none" },
    }),
    Paper: Paper.extend({ defaultProps: { shadow: "xs", bd: "1px solid var(--border)" } }),
    InputWrapper: Input.Wrapper.extend({
      defaultProps: { inputWrapperOrder: ["label", "input", "error", "description"] },
    }),
  },
})
