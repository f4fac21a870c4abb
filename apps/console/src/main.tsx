import { QueryClientProvider } from "@tanstack/react-query"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { queryClient } from "./api/Queries.ts"
import { App, preloadPage } from "./App.tsx"
import { loadLanguage } from "./language/Language.ts"
import { prepareSession } from "./session/SessionProvider.tsx"
import { applyDensity } from "./preferences/Density.ts"
import { recordScroll } from "./visits/Scroll.ts"
import { Theme } from "./Theme.tsx"

const root = document.getElementById("root")
if (root !== null) {
  recordScroll()
  applyDensity()
  const isSignedIn = prepareSession()
  void preloadPage(isSignedIn)
  // Nothing can be rendered before, and the first request of the page does not wait for the rendering.
  await Promise.all([loadLanguage(), isSignedIn])
  createRoot(root).render(
    <StrictMode>
      <Theme>
        <QueryClientProvider client={queryClient}>
          <App />
        </QueryClientProvider>
      </Theme>
    </StrictMode>,
  )
}
