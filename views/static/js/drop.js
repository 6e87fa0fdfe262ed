/** Lets a file be dropped where one can be chosen: it is chosen then, and loaded by the button beside the input. */
export function dropFiles() {
  for (const area of document.querySelectorAll('[data-drop]')) {
    const mark = (isOver) => area.classList.toggle('form__file--over', isOver);
    area.addEventListener('dragover', (event) => {
      if (!event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      mark(true);
    });
    area.addEventListener('dragleave', () => mark(false));
    area.addEventListener('drop', (event) => {
      mark(false);
      const input = area.querySelector('input[type="file"]');
      if (event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      input.files = event.dataTransfer.files;
      area.querySelector('button')?.click();
    });
  }
}
