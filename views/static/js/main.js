// Everything works without these; they spare waiting and typing.
import { tickAges } from './age.js';
import { copyButtons } from './copy.js';
import { dropFiles } from './drop.js';
import { instantFilter } from './filter.js';
import { liveFragments } from './live.js';
import { closeMenus } from './menu.js';
import { updateFields } from './update-fields.js';
import { tellWhatIsTyped } from './tell.js';

document.documentElement.classList.add('js');
document.querySelector('[data-focus]')?.focus();
closeMenus();
copyButtons();
dropFiles();
instantFilter();
liveFragments();
tellWhatIsTyped();
updateFields();
tickAges();
