import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { App, loadAhead } from "./App.tsx"
import { Theme } from "./Theme.tsx"

loadAhead(location.pathname)
const root = document.getElementById("root")
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <Theme>
        <App />
      </Theme>
    </StrictMode>,
  )
}
