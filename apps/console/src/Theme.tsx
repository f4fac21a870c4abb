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
import "./console.css"
import { createTheme, Input, MantineProvider } from "@mantine/core"
import type { ReactNode } from "react"

/**
 * The theme of the console, in light and dark.
 *
 * All variables are in `console.css` and Mantine's own static file: the content security policy allows no style
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
  components: {
    InputWrapper: Input.Wrapper.extend({
      defaultProps: { inputWrapperOrder: ["label", "input", "error", "description"] },
    }),
  },
})
