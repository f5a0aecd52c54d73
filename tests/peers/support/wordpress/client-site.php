<?php
// Fills WordPress as a client's site is after some years: run once, right after the installation.
$_SERVER['HTTP_HOST'] = parse_url(getenv('PEER_URL'), PHP_URL_HOST);
require 'wp-load.php';
require_once ABSPATH . 'wp-admin/includes/image.php';
wp_set_current_user(1);
kses_remove_filters();
foreach (get_posts(['post_type' => 'any', 'post_status' => 'any', 'numberposts' => -1]) as $post) wp_delete_post($post->ID, true);
$url = getenv('PEER_URL');

$authors = [1];
foreach (['berta' => 'editor', 'carl' => 'author'] as $login => $role)
    $authors[] = wp_insert_user(['user_login' => $login, 'user_pass' => 'x', 'role' => $role, 'display_name' => ucfirst($login)]);
$terms = [];
foreach (['News' => 'category', 'Workshops' => 'category', 'Pottery' => 'post_tag', 'Glaze & kiln' => 'post_tag', 'North' => 'acme_area'] as $name => $taxonomy)
    $terms[$name] = wp_insert_term($name, $taxonomy)['term_id'];

function picture(string $name, int $red): int {
    $file = wp_upload_dir('2023/05')['path'] . "/$name.png";
    $image = imagecreatetruecolor(1200, 800);
    imagefill($image, 0, 0, imagecolorallocate($image, $red, 120, 90));
    imagepng($image, $file);
    $id = wp_insert_attachment(['post_title' => $name, 'post_mime_type' => 'image/png', 'post_status' => 'inherit'], $file);
    wp_update_attachment_metadata($id, wp_generate_attachment_metadata($id, $file));
    update_post_meta($id, '_wp_attachment_image_alt', "A $name");
    return $id;
}
[$kiln, $bowl] = [picture('kiln', 200), picture('bowl', 40)];
$kilnUrl = wp_get_attachment_url($kiln);
$bowlUrl = wp_get_attachment_url($bowl);
$kilnSmall = preg_replace('/\.png$/', '-300x200.png', $kilnUrl);

function entry(string $type, string $slug, string $title, string $content, array $more = []): int {
    static $day = 0;
    $date = gmdate('Y-m-d H:i:s', strtotime('2023-01-01 08:00:00') + 86400 * ++$day);
    $meta = $more['meta'] ?? [];
    $tags = $more['terms'] ?? [];
    unset($more['meta'], $more['terms']);
    $fields = $more + [
        'post_type' => $type, 'post_name' => $slug, 'post_title' => $title, 'post_content' => $content,
        'post_status' => 'publish', 'post_author' => 1, 'post_date' => $date, 'post_date_gmt' => $date,
    ];
    $id = wp_insert_post(wp_slash($fields), true);
    if (is_wp_error($id)) throw new Exception($id->get_error_message());
    foreach ($meta as $key => $value) add_post_meta($id, $key, $value);
    foreach ($tags as $taxonomy => $ids) wp_set_object_terms($id, $ids, $taxonomy);
    return $id;
}

$home = entry('page', 'home', 'Home', <<<HTML
<!-- wp:cover {"url":"$kilnUrl","id":$kiln,"dimRatio":40,"overlayColor":"black","minHeight":420,"align":"full","className":"is-style-tall"} -->
<div class="wp-block-cover alignfull is-style-tall" style="min-height:420px"><span aria-hidden="true" class="wp-block-cover__background has-black-background-color has-background-dim-40 has-background-dim"></span><img class="wp-block-cover__image-background wp-image-$kiln" alt="The big kiln" src="$kilnUrl" data-object-fit="cover"/><div class="wp-block-cover__inner-container"><!-- wp:heading {"textAlign":"center","level":1,"fontSize":"x-large"} -->
<h1 class="has-text-align-center has-x-large-font-size" id="welcome">Clay, by <em>hand</em></h1>
<!-- /wp:heading -->

<!-- wp:paragraph {"align":"center","textColor":"white"} -->
<p class="has-text-align-center has-white-color has-text-color">Since 1987 &amp; still turning</p>
<!-- /wp:paragraph --></div></div>
<!-- /wp:cover -->

<!-- wp:spacer {"height":"64px"} -->
<div style="height:64px" aria-hidden="true" class="wp-block-spacer"></div>
<!-- /wp:spacer -->

<!-- wp:group {"backgroundColor":"pale-pink","layout":{"type":"constrained"}} -->
<div class="wp-block-group has-pale-pink-background-color has-background"><!-- wp:columns {"verticalAlignment":"center"} -->
<div class="wp-block-columns are-vertically-aligned-center"><!-- wp:column {"verticalAlignment":"center","width":"66.66%"} -->
<div class="wp-block-column is-vertically-aligned-center" style="flex-basis:66.66%"><!-- wp:paragraph {"dropCap":true} -->
<p class="has-drop-cap">We throw <mark style="background-color:#ffd" class="has-inline-color">every bowl</mark> ourselves.</p>
<!-- /wp:paragraph -->

<!-- wp:list {"className":"is-style-ticks"} -->
<ul class="is-style-ticks"><!-- wp:list-item -->
<li>Stoneware</li>
<!-- /wp:list-item -->

<!-- wp:list-item -->
<li>Porcelain</li>
<!-- /wp:list-item --></ul>
<!-- /wp:list --></div>
<!-- /wp:column -->

<!-- wp:column {"verticalAlignment":"center","width":"33.33%"} -->
<div class="wp-block-column is-vertically-aligned-center" style="flex-basis:33.33%"><!-- wp:acme/badge {"tone":"warm"} -->
<div class="wp-block-acme-badge" data-tone="warm"><svg viewBox="0 0 1 1"><path d="M0 0"/></svg><strong>Fired at 1280°</strong></div>
<!-- /wp:acme/badge --></div>
<!-- /wp:column --></div>
<!-- /wp:columns --></div>
<!-- /wp:group -->
HTML, ['meta' => ['acme_price' => '42', '_acme_layout' => 'wide', '_wp_page_template' => 'default']]);

$about = entry('page', 'about', 'About us', <<<HTML
<!-- wp:heading {"level":1,"className":"lead"} -->
<h1 class="lead" id="who-we-are">Who we are</h1>
<!-- /wp:heading -->

<!-- wp:paragraph {"style":{"color":{"text":"#224466"}}} -->
<p class="has-text-color" style="color:#224466">Three potters, H<sub>2</sub>O and <mark class="x">a lot</mark> of clay. See <a href="$url/services/" target="_blank" rel="noreferrer noopener">what we do</a>.</p>
<!-- /wp:paragraph -->

<!-- wp:separator {"className":"is-style-dots"} -->
<hr class="wp-block-separator has-alpha-channel-opacity is-style-dots"/>
<!-- /wp:separator -->

<!-- wp:image {"id":$bowl,"width":300,"height":200,"sizeSlug":"medium","linkDestination":"none","align":"right","className":"is-style-rounded"} -->
<figure class="wp-block-image alignright size-medium is-resized is-style-rounded"><img src="$bowlUrl" alt="A bowl" class="wp-image-$bowl" width="300" height="200"/><figcaption class="wp-element-caption">A <em>tea</em> bowl</figcaption></figure>
<!-- /wp:image -->

<!-- wp:spacer {"height":"30px"} -->
<div style="height:30px" aria-hidden="true" class="wp-block-spacer"></div>
<!-- /wp:spacer -->

<!-- wp:quote {"className":"is-style-large"} -->
<blockquote class="wp-block-quote is-style-large"><!-- wp:paragraph -->
<p>The <strong>best</strong> mugs in town</p>
<!-- /wp:paragraph --><cite>Ann, <em>regular</em></cite></blockquote>
<!-- /wp:quote -->

<!-- wp:media-text {"mediaId":$kiln,"mediaLink":"$url/?attachment_id=$kiln","mediaType":"image","imageFill":true} -->
<div class="wp-block-media-text alignwide is-stacked-on-mobile is-image-fill"><figure class="wp-block-media-text__media" style="background-image:url($kilnUrl);background-position:50% 50%"><img src="$kilnSmall" alt="Our kiln" class="wp-image-$kiln size-medium"/></figure><div class="wp-block-media-text__content"><!-- wp:paragraph {"placeholder":"Content"} -->
<p>It takes two days to cool.</p>
<!-- /wp:paragraph --></div></div>
<!-- /wp:media-text -->
HTML, ['menu_order' => 2]);

$team = entry('page', 'team', 'Team', <<<HTML
<!-- wp:table {"hasFixedLayout":true,"className":"is-style-stripes"} -->
<figure class="wp-block-table is-style-stripes"><table class="has-fixed-layout"><thead><tr><th>Name</th><th class="has-text-align-right" data-align="right">Years</th></tr></thead><tbody><tr><td>Ann</td><td class="has-text-align-right" data-align="right">12</td></tr><tr><td>Bo<mark>1</mark></td><td class="has-text-align-right" data-align="right">3</td></tr></tbody></table><figcaption class="wp-element-caption">Who &amp; how long</figcaption></figure>
<!-- /wp:table -->

<!-- wp:buttons {"layout":{"type":"flex","justifyContent":"center"}} -->
<div class="wp-block-buttons"><!-- wp:button {"backgroundColor":"vivid-red","className":"is-style-outline"} -->
<div class="wp-block-button is-style-outline"><a class="wp-block-button__link has-vivid-red-background-color has-background wp-element-button" href="$url/about/">Meet us</a></div>
<!-- /wp:button -->

<!-- wp:button -->
<div class="wp-block-button"><a class="wp-block-button__link wp-element-button" href="mailto:pots@site.test">Write to us</a></div>
<!-- /wp:button --></div>
<!-- /wp:buttons -->
HTML, ['post_parent' => $about]);
$history = entry('page', 'history', 'History', "<p>Founded in 1987.</p>\n\nThe second  kiln came in 1995.\n\n[acme_hours days=\"Mon-Fri\"]\n", ['post_parent' => $team]);

$services = entry('page', 'services', 'Services', <<<HTML
<!-- wp:acme/slider {"speed":3,"items":["a","b"],"note":"x \\u003c y"} -->
<div class="wp-block-acme-slider"   data-x='1'><p>Slide   one&nbsp;here.</p><script>var slides = "<p>Slide one</p>";</script><style>.a > .b { color: red }</style></div>
<!-- /wp:acme/slider -->

<!-- wp:shortcode -->
[acme_hours days="Sat"]
<!-- /wp:shortcode -->

<!-- wp:gallery {"columns":2,"linkTo":"media","className":"is-style-grid"} -->
<figure class="wp-block-gallery has-nested-images columns-2 is-cropped is-style-grid"><!-- wp:image {"id":$kiln,"sizeSlug":"large","linkDestination":"media"} -->
<figure class="wp-block-image size-large"><a href="$kilnUrl"><img src="$kilnUrl" alt="Kiln, open" class="wp-image-$kiln"/></a></figure>
<!-- /wp:image -->

<!-- wp:image {"id":$bowl,"sizeSlug":"large","linkDestination":"media"} -->
<figure class="wp-block-image size-large"><a href="$bowlUrl"><img src="$bowlUrl" alt="Bowl, blue" class="wp-image-$bowl"/></a><figcaption class="wp-element-caption">Blue <strong>bowl</strong></figcaption></figure>
<!-- /wp:image --></figure>
<!-- /wp:gallery -->

<!-- wp:html -->
<details><summary>Terms</summary>Paid in <b>advance</b>.</details>
<!-- /wp:html -->

<!-- wp:block {"ref":__REF__} /-->
HTML, ['meta' => ['acme_price' => '9.50', '_yoast_wpseo_title' => '%%title%% | Clay  &amp; Co']]);
$reusable = entry('wp_block', 'opening-hours', 'Opening hours', "<!-- wp:paragraph -->\n<p>Open daily.</p>\n<!-- /wp:paragraph -->");
$wpdb->query("update $wpdb->posts set post_content = replace(post_content, '__REF__', '$reusable') where ID = $services");
clean_post_cache($services);

$members = entry('page', 'members', 'For members', "<!-- wp:paragraph -->\n<p>The members' price list.</p>\n<!-- /wp:paragraph -->", ['post_password' => 'clay pass']);
$board = entry('page', 'board', 'Board', "<!-- wp:paragraph -->\n<p>Minutes of the board.</p>\n<!-- /wp:paragraph -->", ['post_status' => 'private']);
entry('post', 'private-note', 'Private note', "<!-- wp:paragraph -->\n<p>Not for everybody.</p>\n<!-- /wp:paragraph -->", ['post_status' => 'private', 'post_author' => $authors[1]]);
entry('post', 'to-review', 'To review', "<!-- wp:paragraph -->\n<p>Please read this.</p>\n<!-- /wp:paragraph -->", ['post_status' => 'pending', 'post_author' => $authors[2], 'post_date_gmt' => '0000-00-00 00:00:00']);
entry('post', 'next-year', 'Next year', "<!-- wp:paragraph -->\n<p>Plans for next year.</p>\n<!-- /wp:paragraph -->", ['post_status' => 'future', 'post_date' => gmdate('Y', strtotime('+1 year')) . '-06-01 10:00:00', 'post_date_gmt' => gmdate('Y', strtotime('+1 year')) . '-06-01 10:00:00']);
$sticky = entry('post', 'kiln-opening', 'Kiln opening', <<<HTML
<!-- wp:paragraph {"fontSize":"large"} -->
<p class="has-large-font-size">Come on <em>Sunday</em>.</p>
<!-- /wp:paragraph -->

<!-- wp:more {"customText":"Read on"} -->
<!--more Read on-->
<!-- /wp:more -->

<!-- wp:paragraph -->
<p>There is cake.</p>
<!-- /wp:paragraph -->

<!-- wp:nextpage -->
<!--nextpage-->
<!-- /wp:nextpage -->

<!-- wp:paragraph {"align":"right"} -->
<p class="has-text-align-right">Until six.</p>
<!-- /wp:paragraph -->
HTML, ['terms' => ['category' => [$terms['News']], 'post_tag' => [$terms['Pottery'], $terms['Glaze & kiln']], 'acme_area' => [$terms['North']]], 'post_excerpt' => 'Come &amp; <em>see</em>.', 'meta' => ['_acme_source' => 'fair', 'footnote' => 'kept']]);
stick_post($sticky);
set_post_thumbnail($sticky, $kiln);
foreach (['Lovely' => 1, 'Is there tea?' => 1, 'Buy pills' => 'spam', 'Waiting' => 0] as $text => $approved)
    wp_insert_comment(['comment_post_ID' => $sticky, 'comment_content' => $text, 'comment_author' => 'Guest', 'comment_author_IP' => '10.0.0.1', 'comment_agent' => 'Browser', 'comment_approved' => $approved, 'comment_date_gmt' => '2023-06-01 10:00:00', 'comment_date' => '2023-06-01 10:00:00']);

entry('post', 'classic-glazes', 'Classic glazes', "Glazes <strong>matter</strong> &mdash; a lot.\n\n<h3>Celadon</h3>\nPale   green,\nwith a <span style=\"color: #336699;\">blue</span> tint.\n\n<!--more-->\n\n[caption id=\"attachment_$bowl\" align=\"alignright\" width=\"300\"]<img class=\"size-medium wp-image-$bowl\" src=\"$bowlUrl\" alt=\"Celadon bowl\" width=\"300\" height=\"200\" /> A celadon bowl[/caption]\n\n<ul>\n\t<li>Ash</li>\n\t<li>Salt</li>\n</ul>\n[acme_hours days=\"Sun\"]", ['post_author' => $authors[1]]);
entry('acme_project', 'town-hall', 'Town hall tiles', "<!-- wp:paragraph -->\n<p>2,000 tiles.</p>\n<!-- /wp:paragraph -->", ['meta' => ['acme_client' => 'The town', '_acme_budget' => '9000'], 'terms' => ['acme_area' => [$terms['North']]]]);

for ($n = 1; $n <= 300; $n++) {
    $content = "<!-- wp:paragraph -->\n<p>Entry $n of the workshop diary, about glaze no. $n.</p>\n<!-- /wp:paragraph -->\n\n<!-- wp:list -->\n<ul><!-- wp:list-item -->\n<li>Cone $n</li>\n<!-- /wp:list-item --></ul>\n<!-- /wp:list -->";
    if ($n % 10 === 0) $content = "Entry $n of the workshop diary.\n\nWritten  the old way.\n";
    entry('post', "diary-$n", "Diary $n", $content, ['post_author' => $authors[$n % 3], 'terms' => ['category' => [$terms[$n % 2 ? 'News' : 'Workshops']], 'post_tag' => $n % 5 ? [] : [$terms['Pottery']]]]);
}

$link = fn($id, $inner = '', $top = false) => $inner === ''
    ? '<!-- wp:navigation-link ' . json_encode(['label' => get_the_title($id), 'type' => 'page', 'id' => $id, 'url' => get_permalink($id), 'kind' => 'post-type'] + ($top ? ['isTopLevelLink' => true] : []), JSON_UNESCAPED_SLASHES) . ' /-->'
    : '<!-- wp:navigation-submenu ' . json_encode(['label' => get_the_title($id), 'type' => 'page', 'id' => $id, 'url' => get_permalink($id), 'kind' => 'post-type'] + ($top ? ['isTopLevelItem' => true] : []), JSON_UNESCAPED_SLASHES) . " -->\n$inner\n<!-- /wp:navigation-submenu -->";
entry('wp_navigation', 'main', 'Main', implode("\n\n", [
    '<!-- wp:home-link {"label":"Home"} /-->',
    $link($about, $link($team, $link($history)), true),
    $link($services, '', true),
    '<!-- wp:navigation-link {"label":"Shop","url":"https://shop.example.org/?a=1\u0026b=2","kind":"custom","opensInNewTab":true,"isTopLevelLink":true} /-->',
    '<!-- wp:social-links --><ul class="wp-block-social-links"></ul><!-- /wp:social-links -->',
]));
$menu = wp_create_nav_menu('Main menu');
$item = fn($title, $more) => wp_update_nav_menu_item($menu, 0, $more + ['menu-item-title' => $title, 'menu-item-status' => 'publish']);
$page = fn($id, $parent = 0) => $item('', ['menu-item-object' => 'page', 'menu-item-object-id' => $id, 'menu-item-type' => 'post_type', 'menu-item-parent-id' => $parent]);
$page($history, $page($team, $page($about)));
$item('Shop', ['menu-item-type' => 'custom', 'menu-item-url' => 'https://shop.example.org/', 'menu-item-target' => '_blank', 'menu-item-classes' => 'shop']);
$item('News', ['menu-item-type' => 'taxonomy', 'menu-item-object' => 'category', 'menu-item-object-id' => $terms['News']]);
set_theme_mod('nav_menu_locations', ['primary' => $menu]);

entry('page', 'landing', 'Landing', '<h2>Firing now</h2>', ['meta' => ['_elementor_data' => '<h2>Firing now</h2>', '_elementor_edit_mode' => 'builder']]);

update_option('show_on_front', 'page');
update_option('page_on_front', $home);
update_option('blogname', 'Clay &amp; Co');
update_option('blogdescription', 'Pots, by hand');
flush_rewrite_rules(false);
