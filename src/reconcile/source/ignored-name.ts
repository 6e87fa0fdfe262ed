/** Whether a file or folder is left alone: dotfiles, and what editors leave beside a file while it is being edited. */
export function isIgnoredName(name: string): boolean {
  return name.startsWith('.') || name.endsWith('~') || name.startsWith('#') || /\.(swp|swx|swo|tmp|bak|orig)$/i.test(name);
}
