<?php
// Installs WordPress and writes the application password of its administrator, who is called "editor".
define('WP_INSTALLING', true);
$_SERVER['HTTP_HOST'] = parse_url(getenv('PEER_URL'), PHP_URL_HOST);
require 'wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
$installed = wp_install('Peer', 'editor', 'editor@site.test', true, '', 'correct horse');
switch_theme('peer');
update_option('permalink_structure', '/%postname%/');
flush_rewrite_rules(false);
$made = WP_Application_Passwords::create_new_application_password($installed['user_id'], ['name' => 'assistant']);
echo "\npassword:", $made[0], "\n";
