import { QueryClientProvider } from "@tanstack/react-query"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { queryClient } from "./api/Queries.ts"
import { App } from "./App.tsx"
import { Theme } from "./Theme.tsx"

const root = document.getElementById("root")
if (root !== null) {
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
