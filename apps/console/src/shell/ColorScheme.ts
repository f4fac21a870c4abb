import { useMantineColorScheme } from "@mantine/core"

/** The chosen color scheme. To switch transitions off, Mantine would add a style element, which the policy forbids. */
export const useColorScheme = () => useMantineColorScheme({ keepTransitions: true })
