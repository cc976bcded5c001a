/**
 * The default look of pages. It is in a cascade layer, so every rule of the page itself wins regardless of specificity,
 * and a reset (`revert-layer`) falls back to it.
 */
export const baseCss = `@layer waybill{
:root{
--wb-color-primary:#1a56c4;
--wb-color-on-primary:#fff;
--wb-color-background:#fff;
--wb-color-surface:#f4f5f7;
--wb-color-text:#1c1f23;
--wb-color-muted:#5a6068;
--wb-color-border:#d9dce1;
--wb-color-accent:#1a56c4;
--wb-font-body:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
--wb-font-heading:var(--wb-font-body);
--wb-radius:.5rem;
--wb-spacing:1.5rem;
--wb-text:var(--wb-color-text);
--wb-muted:var(--wb-color-muted);
--wb-line:var(--wb-color-border);
--wb-field-line:#7c838c;
--wb-surface:var(--wb-color-surface);
--wb-accent:var(--wb-color-accent);
--wb-accent-strong:color-mix(in srgb,var(--wb-color-accent) 75%,var(--wb-color-text));
--wb-on-accent:var(--wb-color-on-primary);
--wb-gap:var(--wb-spacing);
--wb-width:72rem;
color-scheme:light;
-webkit-text-size-adjust:100%;
text-size-adjust:100%;
scroll-behavior:smooth;
}
*,::before,::after{box-sizing:border-box}
body{
margin:0;
min-height:100vh;
color:var(--wb-text);
background:var(--wb-color-background);
font-family:var(--wb-font-body);
font-size:1rem;
line-height:1.6;
overflow-wrap:break-word;
}
:where(h1,h2,h3,h4,h5,h6,p,ul,ol,figure,blockquote,pre,hr){margin:0}
:where(img,svg,video,iframe){display:block;max-width:100%}
:where(img,video){height:auto}
a{color:var(--wb-accent);text-underline-offset:.15em}
a:hover{color:var(--wb-accent-strong)}
:where(a):has(>.wb-image){display:block}
:focus-visible{outline:3px solid var(--wb-accent);outline-offset:2px}
[id]{scroll-margin-top:1.5rem}

.wb-section{
padding-block:clamp(2.25rem,5vw,4rem);
padding-inline:max(1.25rem,calc((100% - var(--wb-width))/2));
}
.wb-section .wb-section{padding-inline:0}
:is(.wb-section,.wb-container,.wb-form)>*+*{margin-top:1.25rem}
:is(.wb-section,.wb-container,.wb-form)>:is(.wb-button,.wb-link):has(+:is(.wb-button,.wb-link)){margin-inline-end:1rem}
main>:is(.wb-container,.wb-stack,.wb-grid,.wb-product,.wb-form){
padding-inline:max(1.25rem,calc((100% - var(--wb-width))/2));
}
main>:is(.wb-container,.wb-stack,.wb-grid,.wb-product,.wb-form):has(>.wb-section){padding-inline:0}
.wb-container>.wb-section{margin-top:0}
.wb-stack{display:flex;flex-direction:column;gap:1rem}
.wb-stack>*{min-width:0;max-width:100%}
.wb-stack>:is(.wb-button,.wb-link){min-width:min-content}
.wb-stack:not(:has(>:not(.wb-button,.wb-link,.wb-icon))){flex-wrap:wrap}
.wb-grid{
display:grid;
grid-template-columns:repeat(auto-fill,minmax(min(100%,15rem),1fr));
gap:var(--wb-gap);
}
.wb-grid>*{min-width:0}

.wb-heading,.wb-rich-text :is(h1,h2,h3,h4,h5,h6){
font-family:var(--wb-font-heading);
font-weight:700;
line-height:1.2;
letter-spacing:-.01em;
text-wrap:balance;
}
h1{font-size:clamp(2.1rem,1.4rem + 3vw,3.5rem)}
h2{font-size:clamp(1.6rem,1.2rem + 1.6vw,2.25rem)}
h3{font-size:1.375rem}
h4{font-size:1.125rem}
h5,h6{font-size:1rem}
.wb-text{display:block;white-space:pre-line;text-wrap:pretty}
blockquote.wb-text,.wb-rich-text blockquote{
padding-inline-start:1.25rem;
border-inline-start:4px solid var(--wb-line);
color:var(--wb-muted);
}
small.wb-text{font-size:.875rem;color:var(--wb-muted)}
.wb-rich-text{max-width:44rem}
.wb-rich-text>*+*{margin-top:1.1em}
.wb-rich-text li>*+*{margin-top:.35em}
.wb-rich-text>*+:is(h1,h2,h3,h4){margin-top:1.6em}
.wb-rich-text :is(ul,ol),.wb-list{padding-inline-start:1.4em}
.wb-list>li+li{margin-top:.35em}
.wb-rich-text hr{border:0;border-top:1px solid var(--wb-line)}
:is(sub,sup){line-height:0}
.wb-rich-text pre{
padding:1rem 1.25rem;
white-space:pre-wrap;
background:var(--wb-surface);
border-radius:var(--wb-radius);
}
code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.9em}
.wb-rich-text :not(pre)>code{padding:.1em .35em;background:var(--wb-surface);border-radius:.25rem}

.wb-image{border-radius:var(--wb-radius)}
figure.wb-image{overflow:hidden}
:is(.wb-image,.wb-gallery) a{display:block;border-radius:inherit}
.wb-image img,.wb-gallery img{width:100%;border-radius:inherit;object-fit:inherit}
figcaption{margin-top:.5rem;font-size:.875rem;color:var(--wb-muted)}
.wb-video{width:100%;aspect-ratio:16/9;background:#000;border-radius:var(--wb-radius)}
.wb-embed iframe{width:100%;aspect-ratio:16/9;border:0;border-radius:var(--wb-radius);background:var(--wb-surface)}
.wb-gallery{
display:grid;
grid-template-columns:repeat(auto-fill,minmax(min(100%,13rem),1fr));
gap:1rem;
padding:0;
list-style:none;
}
.wb-gallery>li{border-radius:var(--wb-radius)}
.wb-gallery figure{border-radius:inherit}
.wb-gallery img{aspect-ratio:1/1;object-fit:cover;background:var(--wb-surface)}
.wb-zoom{cursor:zoom-in}
.wb-product-gallery>li:first-child{grid-column:1/-1}
.wb-icon{display:inline-block;color:var(--wb-accent)}
svg{
width:1.5em;
height:1.5em;
fill:none;
stroke:currentcolor;
stroke-width:1.75;
stroke-linecap:round;
stroke-linejoin:round;
}

.wb-button{
display:inline-flex;
align-items:center;
justify-content:center;
gap:.5em;
width:fit-content;
max-width:100%;
min-height:2.75rem;
padding:.6rem 1.35rem;
border:2px solid transparent;
border-radius:var(--wb-radius);
font:inherit;
font-weight:600;
line-height:1.3;
text-align:center;
text-decoration:none;
cursor:pointer;
}
.wb-button svg{width:1.2em;height:1.2em}
.wb-button-primary,.wb-button-primary:hover{color:var(--wb-on-accent);background-color:var(--wb-color-primary)}
.wb-button-primary:hover{background-color:color-mix(in srgb,var(--wb-color-primary) 85%,#000)}
.wb-button-secondary,.wb-button-secondary:hover{color:inherit;background-color:transparent;border-color:currentcolor}
.wb-button-plain{padding-inline:0;color:var(--wb-accent);background-color:transparent;text-decoration:underline}
.wb-button:disabled{color:var(--wb-muted);background-color:var(--wb-line);cursor:not-allowed}
.wb-link{display:inline-block}
.wb-link:has(>*){display:block;color:inherit;text-decoration:none}
.wb-link>*+*{margin-top:.5rem}
.wb-link:hover .wb-heading{text-decoration:underline}
.wb-divider{width:100%;height:0;border:0;border-top:1px solid var(--wb-line)}
.wb-spacer{height:2rem}

.wb-form{max-width:38rem}
main>.wb-form{max-width:none}
.wb-field label{display:block;margin-bottom:.35rem;font-weight:600}
.wb-field :is(input,textarea,select){
display:block;
width:100%;
min-height:2.75rem;
padding:.55rem .8rem;
border:1px solid var(--wb-field-line);
border-radius:var(--wb-radius);
color:inherit;
background-color:var(--wb-color-background);
font:inherit;
}
.wb-field textarea{resize:vertical}
.wb-field ::placeholder{color:var(--wb-muted);opacity:1}
.wb-checkbox{display:flex;gap:.6rem;align-items:flex-start}
.wb-checkbox input{flex:none;width:1.25rem;min-height:0;height:1.25rem;margin:.175rem 0;accent-color:var(--wb-accent)}
.wb-checkbox label{margin:0;font-weight:400}

.wb-quantity input{max-width:7rem}
.wb-product .wb-stack:has(>.wb-quantity)>.wb-add-to-cart{flex:1 1 12rem}

.wb-form{position:relative}
.wb-form>.wb-hidden{inset-block-end:0;inset-inline-start:0}
.wb-form>.wb-hidden input{width:1px;height:1px;min-height:0;padding:0;border:0}
.wb-form-sent{padding:.75rem 1rem;font-weight:600;background:var(--wb-surface);border-radius:var(--wb-radius)}
.wb-form-sent:not(:target){display:none}
.wb-field .wb-problem{margin-top:.35rem;color:#b3261e;font-size:.9375rem}
.wb-field [aria-invalid]{border-color:#b3261e}
.wb-checkbox{flex-wrap:wrap}
.wb-checkbox .wb-problem{flex:1 0 100%}

.wb-product{display:flex;flex-direction:column;gap:.6rem 1.5rem}
.wb-product>*{min-width:0}
.wb-product>:is(.wb-stack,.wb-container){flex:1 1 50%}
.wb-product>:is(.wb-stack,.wb-container):empty{display:none}
.wb-product>.wb-button{width:100%}
.wb-product-image,.wb-product-image img{width:100%;aspect-ratio:1/1;object-fit:cover;background:var(--wb-surface)}
figure.wb-product-image{aspect-ratio:auto;background:none}
.wb-product-title{font-size:1.125rem;letter-spacing:0}
.wb-product-title a{color:inherit;text-decoration:none}
.wb-product-title a:hover{text-decoration:underline}
.wb-field{white-space:pre-line}
.wb-price{font-size:1.0625rem;font-weight:600}
.wb-price del{margin-inline-start:.4em;font-weight:400;color:var(--wb-muted)}
.wb-unit-price{display:block;font-size:.875rem;font-weight:400;color:var(--wb-muted)}
.wb-grid>.wb-product>.wb-add-to-cart{margin-top:auto}

.wb-options{display:grid;gap:1.1rem}
.wb-option-group>p{margin-bottom:.45rem}
.wb-option-group>ul{display:flex;flex-wrap:wrap;gap:.5rem;margin:0;padding:0;list-style:none}
.wb-option{
display:inline-flex;
align-items:center;
justify-content:center;
min-width:2.75rem;
min-height:2.75rem;
padding:.45rem .9rem;
color:inherit;
text-decoration:none;
border:1px solid var(--wb-field-line);
border-radius:var(--wb-radius);
}
.wb-option,.wb-option:hover{color:inherit}
.wb-option:hover{background:var(--wb-surface)}
.wb-option[aria-current]{border-color:var(--wb-accent);box-shadow:inset 0 0 0 1px var(--wb-accent);font-weight:600}
.wb-option-off{color:var(--wb-muted);border-style:dashed;text-decoration:line-through}
.wb-option-off:hover{color:var(--wb-muted)}
.wb-option-picture{padding:.2rem}
.wb-option-picture img{width:3.25rem;height:3.25rem;object-fit:cover;border-radius:calc(var(--wb-radius)*.7)}
.wb-option-picture.wb-option-off img{opacity:.45}

.wb-filters-bar{display:flex;flex-wrap:wrap;gap:.75rem;align-items:end}
.wb-filter{position:relative}
.wb-filter summary{
display:flex;
gap:.4em;
align-items:center;
min-height:2.75rem;
padding:.45rem 1rem;
list-style:none;
cursor:pointer;
border:1px solid var(--wb-field-line);
border-radius:var(--wb-radius);
}
.wb-filter summary::-webkit-details-marker{display:none}
.wb-filter summary::after{content:"";width:.4em;height:.4em;margin-inline-start:.3em;border:solid currentcolor;border-width:0 .12em .12em 0;rotate:45deg;translate:0 -.1em}
.wb-filter[open] summary::after{rotate:225deg;translate:0 .1em}
.wb-filter fieldset{
position:absolute;
z-index:15;
inset-block-start:calc(100% + .35rem);
inset-inline-start:0;
min-width:14rem;
max-width:min(22rem,86vw);
max-height:60vh;
margin:0;
padding:.75rem 1.1rem;
overflow:auto;
background:var(--wb-color-background);
border:1px solid var(--wb-line);
border-radius:var(--wb-radius);
box-shadow:0 .75rem 2rem rgb(0 0 0/.12);
}
.wb-filter .wb-checkbox{flex-wrap:nowrap;padding-block:.3rem}
.wb-filter .wb-checkbox label{flex:1;cursor:pointer}
.wb-filter-count,.wb-filters-total{color:var(--wb-muted)}
.wb-sort{display:flex;gap:.6rem;align-items:center;margin-inline-start:auto}
.wb-sort.wb-sort label{flex:none;margin:0;font-weight:400}
.wb-sort.wb-sort select{width:auto}
.wb-chosen{display:flex;flex-wrap:wrap;gap:.5rem;margin:.9rem 0 0;padding:0;list-style:none}
.wb-chosen a{display:inline-flex;gap:.5em;align-items:center;min-height:2rem;padding:.2rem .75rem;color:inherit;text-decoration:none;background:var(--wb-surface);border-radius:1rem}
.wb-chosen a:not(.wb-clear)::after{content:"×";font-size:1.15em}
.wb-chosen a:hover{text-decoration:underline}
.wb-chosen .wb-clear{background:none;text-decoration:underline}
.wb-filters-total{margin-top:.9rem}
.wb-category-list ul{display:flex;flex-wrap:wrap;gap:.6rem;margin:0;padding:0;list-style:none}
.wb-category-list a{display:inline-block;padding:.5rem 1.1rem;color:inherit;text-decoration:none;background:var(--wb-surface);border-radius:2rem}
.wb-category-list a:hover{text-decoration:underline}
.wb-category-image,.wb-category-image img{width:100%;max-height:22rem;object-fit:cover}

:is(.wb-site-header,.wb-site-footer){padding:1rem max(1.25rem,calc((100% - var(--wb-width))/2))}
.wb-site-header{border-bottom:1px solid var(--wb-line)}
.wb-site-footer{margin-top:3rem;padding-block:2rem;color:var(--wb-muted);border-top:1px solid var(--wb-line)}
:is(.wb-site-header,.wb-site-footer)>.wb-section{padding:0}
.wb-site-header .wb-stack{align-items:center;flex-wrap:wrap;gap:.75rem 1.5rem}
.wb-site-header .wb-stack>:is(strong.wb-text,.wb-link):first-child{
color:inherit;
font-family:var(--wb-font-heading);
font-size:1.25rem;
font-weight:700;
text-decoration:none;
}
.wb-site-header .wb-stack>.wb-link:has(>.wb-image){display:inline-flex;flex-direction:row-reverse;gap:.6rem;align-items:center}
.wb-site-header .wb-link>.wb-image{width:2.25rem;height:2.25rem;margin:0;object-fit:contain}
.wb-site-header .wb-stack>.wb-search{flex:0 1 17rem;min-width:13rem;margin-inline-start:auto}
main .wb-search{max-width:38rem}
.wb-cart-button{color:inherit;text-decoration:none}
.wb-cart-button:hover{text-decoration:underline}
.wb-cart-count{display:inline-block;width:5ch;white-space:nowrap}
.wb-product-description{max-width:44rem}
:is(.wb-product-list,.wb-article-list){
display:grid;
grid-template-columns:repeat(auto-fill,minmax(min(100%,15rem),1fr));
gap:var(--wb-gap);
padding:0;
list-style:none;
}
:is(.wb-product-list,.wb-article-list)>li{min-width:0}
.wb-article-image{width:100%}
.wb-article-title{font-size:1.375rem;letter-spacing:0}
h1.wb-article-title,h1.wb-product-title{font-size:clamp(2.1rem,1.4rem + 3vw,3.5rem)}
.wb-article-title a{color:inherit;text-decoration:none}
.wb-article-title a:hover{text-decoration:underline}
.wb-article-date{font-size:.9375rem;color:var(--wb-muted)}
.wb-article-body img{border-radius:var(--wb-radius)}
:is(.wb-article-body,.wb-product-description) table{display:block;overflow-x:auto;border-collapse:collapse}
:is(.wb-article-body,.wb-product-description) :is(th,td){padding:.4em .75em;border:1px solid var(--wb-line);text-align:start}
.wb-pager{display:flex;flex-wrap:wrap;gap:1rem;margin-top:1.5rem}
.wb-pager .wb-next{margin-inline-start:auto}
.wb-menu ul,.wb-breadcrumbs ol{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;margin:0;padding:0;list-style:none}
.wb-menu li{position:relative}
.wb-menu :is(a,span){display:block;padding:.35rem 0;color:inherit;text-decoration:none}
.wb-menu a:hover{text-decoration:underline}
.wb-menu ul ul{display:block;padding-inline-start:1rem}
.wb-menu-panel{
display:block;
position:static;
width:auto;
height:auto;
margin:0;
padding:0;
overflow:visible;
color:inherit;
background:none;
border:0;
}
.wb-menu>button,.wb-menu-panel>button{display:none}
.wb-languages{position:relative}
.wb-languages:empty{display:none}
.wb-languages[data-wb-node]:empty{display:block}
.wb-languages[data-wb-node]:empty::before{content:attr(aria-label)}
.wb-languages summary{display:inline-flex;gap:.45em;align-items:center;min-height:2.75rem;list-style:none;cursor:pointer}
.wb-languages summary::-webkit-details-marker{display:none}
.wb-languages summary svg{width:1.2em;height:1.2em}
.wb-languages summary::after{content:"";width:.4em;height:.4em;border:solid currentcolor;border-width:0 .12em .12em 0;rotate:45deg;translate:0 -.1em}
.wb-languages summary:hover span{text-decoration:underline}
.wb-languages ul{
position:absolute;
z-index:20;
inset-block-start:100%;
inset-inline-end:0;
min-width:11rem;
max-height:60vh;
margin:0;
padding:.5rem 0;
overflow:auto;
list-style:none;
color:var(--wb-text);
background:var(--wb-color-background);
border:1px solid var(--wb-line);
border-radius:var(--wb-radius);
box-shadow:0 .75rem 2rem rgb(0 0 0/.12);
}
.wb-site-footer .wb-languages ul{inset-block:auto 100%}
.wb-languages li a{display:block;padding:.55rem 1.1rem;color:inherit;text-decoration:none}
.wb-languages li a:hover{background:var(--wb-surface)}
.wb-languages [aria-current]{font-weight:700}
@media (min-width:640px){
.wb-menu ul ul{
position:absolute;
z-index:10;
inset-block-start:100%;
inset-inline-start:-.75rem;
min-width:12rem;
padding:.5rem .75rem;
color:var(--wb-text);
background:var(--wb-color-background);
border:1px solid var(--wb-line);
border-radius:var(--wb-radius);
opacity:0;
pointer-events:none;
}
.wb-menu li:is(:hover,:focus-within)>ul{opacity:1;pointer-events:auto}
}
.wb-breadcrumbs{font-size:.9375rem}
.wb-breadcrumbs li+li::before{content:"/";margin-inline-end:.5rem;color:var(--wb-muted)}
.wb-breadcrumbs ol{gap:.25rem .5rem}
.wb-breadcrumbs li{min-width:0}
.wb-hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.wb-search{position:relative;display:flex;gap:.5rem;max-width:100%}
.wb-search input{
flex:1 1 10rem;
min-width:0;
min-height:2.75rem;
padding:.55rem .8rem;
border:1px solid var(--wb-field-line);
border-radius:var(--wb-radius);
color:inherit;
background-color:var(--wb-color-background);
font:inherit;
}
.wb-empty{color:var(--wb-muted)}

@media (max-width:639px){
.wb-product-list{grid-template-columns:repeat(auto-fill,minmax(8.5rem,1fr));gap:min(var(--wb-gap),1.25rem)}
.wb-heading,.wb-product-title,.wb-article-title{hyphens:auto;hyphenate-limit-chars:12 4 4}
.wb-site-header .wb-stack{gap:.5rem 1.5rem}
.wb-site-header .wb-stack:has(>.wb-cart-button)>:first-child{margin-inline-end:auto}
.wb-site-header .wb-stack:has(>.wb-cart-button)>:not(:first-child,.wb-cart-button,.wb-languages){order:1}
.wb-site-header .wb-stack>.wb-search{flex:1 1 100%;margin:0}
:is(.wb-site-header .wb-languages summary span,.wb-site-header .wb-cart-text){position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.wb-site-header .wb-cart-button{position:relative;min-width:2.75rem}
.wb-site-header .wb-cart-button svg{width:1.5em;height:1.5em}
.wb-site-header .wb-cart-count{position:absolute;inset-block-start:.05rem;inset-inline-start:1.3rem;width:auto;font-size:.75rem;line-height:1.2}
.wb-site-footer .wb-stack{flex-wrap:wrap}
.wb-sort{flex:1 1 100%;margin:0}
.wb-sort.wb-sort select{flex:1}
.wb-filter[open]{flex:1 1 100%}
.wb-filter fieldset{position:static;max-width:none;max-height:none;margin-top:.35rem}
}
@supports selector(:popover-open){
@media (max-width:639px){
.wb-site-header .wb-stack:has(>.wb-menu>.wb-menu-open){gap:.5rem .25rem}
.wb-site-header .wb-stack:has(>.wb-menu>.wb-menu-open)>:is(.wb-text,.wb-link):first-child{flex:1 1 7rem;font-size:1.125rem}
.wb-site-header .wb-languages summary{justify-content:center;min-width:2.5rem}
.wb-site-header .wb-languages summary::after{display:none}
.wb-site-header .wb-languages summary svg{width:1.5em;height:1.5em}
.wb-site-header .wb-stack>.wb-menu.wb-menu:has(>.wb-menu-open){order:0}
.wb-menu>.wb-menu-open{
display:inline-grid;
place-items:center;
width:2.75rem;
padding:0;
color:inherit;
background:none;
}
.wb-menu-open svg,.wb-menu-close svg{width:1.6em;height:1.6em}
.wb-menu-panel{
position:fixed;
inset-block:0;
inset-inline:auto 0;
width:min(21rem,86vw);
height:100%;
max-height:none;
padding:1rem 1.5rem;
overflow:auto;
overscroll-behavior:contain;
color:var(--wb-text);
background:var(--wb-color-background);
box-shadow:0 0 3rem rgb(0 0 0/.25);
transition:translate .2s ease-out;
}
@starting-style{
.wb-menu-panel:popover-open{translate:100%}
[dir=rtl] .wb-menu-panel:popover-open{translate:-100%}
}
.wb-menu-panel:not(:popover-open){display:none}
.wb-menu-panel::backdrop{background:rgb(0 0 0/.4)}
.wb-menu-panel>.wb-menu-close{
display:grid;
place-items:center;
width:2.75rem;
margin-inline-start:auto;
padding:0;
color:inherit;
background:none;
}
.wb-menu-panel ul{display:block}
.wb-menu-panel :is(a,span){padding:.8rem 0;font-size:1.125rem;border-bottom:1px solid var(--wb-line)}
.wb-menu-panel ul ul :is(a,span){font-size:1rem}
}
}
@media (prefers-reduced-motion:reduce){
:root{scroll-behavior:auto}
*,::before,::after{animation-duration:.01ms;transition-duration:.01ms}
}
@media print{
.wb-button,.wb-video,.wb-embed{display:none}
}
}
`;
