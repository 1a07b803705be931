// How much heap a plan's process has where nobody says otherwise. On its own, so that the process can be started before
// anything that needs Effect is loaded.

/** MiB. */
export const defaultHeapMb = 512
